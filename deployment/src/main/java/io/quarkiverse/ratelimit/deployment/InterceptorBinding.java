package io.quarkiverse.ratelimit.deployment;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;

import io.quarkiverse.ratelimit.runtime.cdi.GuardedCall;

/**
 * Binds the interceptor to guarded methods that no filter decides: to the method where it is declared, or, as ArC asks
 * for with default methods, to the class that inherits it.
 */
final class InterceptorBinding implements AnnotationTransformation {

    private static final DotName GUARDED_CALL = DotName.createSimple(GuardedCall.class);

    private final Map<String, Boolean> cachedByMethod = new HashMap<>();
    private final Set<DotName> classes = new HashSet<>();

    InterceptorBinding(List<Found> methods) {
        for (Found found : methods) {
            if (found.byFilter()) {
                continue;
            }
            if (found.isClient()) {
                bindClient(found);
            } else if (found.isDefault()) {
                classes.add(found.type().name());
            } else {
                cachedByMethod.put(MethodId.of(found.declaration().declaringClass(), found.declaration()), found.isCached());
            }
        }
    }

    /** Quarkus' bean has all methods of the client but the default methods that its interface inherits. */
    private void bindClient(Found found) {
        DotName bean = RestClients.bean(found.type());
        if (found.isDefault() && !found.declaration().declaringClass().equals(found.type())) {
            classes.add(bean);
        } else {
            cachedByMethod.put(bean + MethodId.signature(found.declaration()), found.isCached());
        }
    }

    @Override
    public boolean supports(AnnotationTarget.Kind kind) {
        return kind == AnnotationTarget.Kind.METHOD || kind == AnnotationTarget.Kind.CLASS;
    }

    @Override
    public void apply(TransformationContext context) {
        AnnotationTarget target = context.declaration();
        Boolean cached = target.kind() == AnnotationTarget.Kind.METHOD
                ? cachedByMethod.get(MethodId.of(target.asMethod().declaringClass(), target.asMethod()))
                : classes.contains(target.asClass().name()) ? Boolean.FALSE : null;
        if (cached != null) {
            context.add(AnnotationInstance.create(GUARDED_CALL, target,
                    List.of(AnnotationValue.createBooleanValue("cached", cached))));
        }
    }
}
