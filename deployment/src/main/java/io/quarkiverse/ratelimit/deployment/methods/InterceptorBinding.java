package io.quarkiverse.ratelimit.deployment.methods;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;

import io.quarkiverse.ratelimit.runtime.entry.cdi.RateLimitInterceptor.LimitedCall;

/**
 * Binds the interceptor to limited methods that no filter decides, and to other methods of a resource that may call them: a
 * call within a decided request is not counted again. The binding is on the declared method. For a default
 * method it is on the class that inherits the method, because ArC requires it there.
 */
public final class InterceptorBinding implements AnnotationTransformation {

    private static final DotName LIMITED_CALL = DotName.createSimple(LimitedCall.class);

    private final Map<String, Boolean> cachedByMethod = new HashMap<>();
    private final Set<DotName> classes = new HashSet<>();

    public InterceptorBinding(List<FoundMethod> methods) {
        Set<DotName> called = methods.stream().filter(found -> !found.byFilter() && found.limited().ofClass())
                .map(found -> found.type().name()).collect(Collectors.toSet());
        for (FoundMethod found : methods) {
            if (found.byFilter() && !called.contains(found.type().name()) || found.byExtension()) {
                continue;
            }
            if (found.isClient()) {
                bindClient(found);
            } else if (found.declaration().isDefault()) {
                classes.add(found.type().name());
            } else {
                cachedByMethod.put(MethodId.of(found.declaration().declaringClass(), found.declaration()), found.isCached());
            }
        }
    }

    /**
     * Binds the interceptor to a client. The bean that Quarkus creates has all its methods except inherited default methods.
     */
    private void bindClient(FoundMethod found) {
        DotName bean = RestClients.bean(found.type());
        if (found.declaration().isDefault() && !found.declaration().declaringClass().equals(found.type())) {
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
            context.add(AnnotationInstance.create(LIMITED_CALL, target,
                    List.of(AnnotationValue.createBooleanValue("cached", cached))));
        }
    }
}
