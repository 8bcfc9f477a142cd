package io.quarkiverse.ratelimit.deployment;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.smallrye.common.annotation.Blocking;

/**
 * Moves limited reactive routes with a plain return value from the event loop to a worker thread, where their calls can
 * wait for the decision.
 */
final class RoutesOnWorkers implements AnnotationTransformation {

    private static final DotName VIRTUAL = DotName.createSimple("io.smallrye.common.annotation.RunOnVirtualThread");
    private static final Set<DotName> ASYNCHRONOUS = Set.of(DotName.createSimple("io.smallrye.mutiny.Uni"),
            DotName.createSimple("io.smallrye.mutiny.Multi"),
            DotName.createSimple("java.util.concurrent.CompletionStage"),
            DotName.createSimple("java.util.concurrent.CompletableFuture"));

    private final Set<String> routes = new HashSet<>();

    RoutesOnWorkers(List<FoundMethod> methods) {
        for (FoundMethod found : methods) {
            MethodInfo method = found.declaration();
            if (Callbacks.isRouteOnEventLoop(method) && !isAsynchronous(method.returnType())
                    && !method.hasDeclaredAnnotation(VIRTUAL)) {
                routes.add(MethodId.of(method.declaringClass(), method));
            }
        }
    }

    private static boolean isAsynchronous(Type type) {
        return ASYNCHRONOUS.contains(type.name());
    }

    @Override
    public boolean supports(AnnotationTarget.Kind kind) {
        return kind == AnnotationTarget.Kind.METHOD;
    }

    @Override
    public void apply(TransformationContext context) {
        MethodInfo method = context.declaration().asMethod();
        if (routes.contains(MethodId.of(method.declaringClass(), method))) {
            context.add(Blocking.class);
        }
    }
}
