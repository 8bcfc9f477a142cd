package io.quarkiverse.ratelimit.deployment.methods;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;
import io.quarkus.arc.processor.InjectionPointInfo;

/** Finds injection points with {@code @RateLimitPolicy}. */
public final class InjectedLimiterFinder {

    private static final DotName POLICY = DotName.createSimple(RateLimitPolicy.class);
    private static final String DEFAULT = "default";

    private InjectedLimiterFinder() {
    }

    public static List<InjectedLimiter> of(Collection<InjectionPointInfo> injectionPoints) {
        return injectionPoints.stream().filter(point -> point.getRequiredQualifier(POLICY) != null)
                .map(point -> new InjectedLimiter(policy(point.getRequiredQualifier(POLICY)), point.getTargetInfo()))
                .distinct().sorted(Comparator.comparing(InjectedLimiter::policy).thenComparing(InjectedLimiter::place))
                .toList();
    }

    private static String policy(AnnotationInstance qualifier) {
        AnnotationValue value = qualifier.value();
        return value == null ? DEFAULT : value.asString();
    }
}
