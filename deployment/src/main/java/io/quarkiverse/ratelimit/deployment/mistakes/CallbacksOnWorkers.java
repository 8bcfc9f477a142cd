package io.quarkiverse.ratelimit.deployment.mistakes;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.deployment.methods.Callbacks;
import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.MethodId;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;

/**
 * Moves limited methods with a plain return value, which Quarkus would call on an event loop, to a worker thread, where they
 * can wait for the decision: reactive routes, consumers of the event bus, scheduled methods, and methods of MCP servers.
 */
public final class CallbacksOnWorkers implements AnnotationTransformation {

    private static final DotName VIRTUAL = DotName.createSimple("io.smallrye.common.annotation.RunOnVirtualThread");
    private static final DotName NON_BLOCKING = DotName.createSimple(NonBlocking.class);
    private static final Set<DotName> ASYNCHRONOUS = Set.of(DotName.createSimple("io.smallrye.mutiny.Uni"),
            DotName.createSimple("io.smallrye.mutiny.Multi"),
            DotName.createSimple("java.util.concurrent.CompletionStage"),
            DotName.createSimple("java.util.concurrent.CompletableFuture"));

    private final Set<String> plain = new HashSet<>();

    public CallbacksOnWorkers(List<FoundMethod> methods) {
        for (FoundMethod found : methods) {
            MethodInfo method = found.declaration();
            if (!ASYNCHRONOUS.contains(method.returnType().name()) && !method.hasDeclaredAnnotation(VIRTUAL)) {
                plain.add(MethodId.of(method.declaringClass(), method));
            }
        }
    }

    @Override
    public boolean supports(AnnotationTarget.Kind kind) {
        return kind == AnnotationTarget.Kind.METHOD;
    }

    @Override
    public void apply(TransformationContext context) {
        MethodInfo method = context.declaration().asMethod();
        if (plain.isEmpty() || !plain.contains(MethodId.of(method.declaringClass(), method))) {
            return;
        }
        if (Callbacks.isRouteOnEventLoop(method)) {
            context.add(Blocking.class);
        }
        if (Callbacks.isScheduled(method) || Callbacks.isForMcp(method)) {
            context.remove(annotation -> annotation.name().equals(NON_BLOCKING));
        }
        AnnotationInstance consumer = method.declaredAnnotation(Callbacks.CONSUME_EVENT);
        if (consumer != null) {
            List<AnnotationValue> values = new ArrayList<>(consumer.values());
            values.removeIf(value -> value.name().equals("blocking"));
            values.add(AnnotationValue.createBooleanValue("blocking", true));
            context.remove(annotation -> annotation.name().equals(Callbacks.CONSUME_EVENT));
            context.add(AnnotationInstance.create(Callbacks.CONSUME_EVENT, method, values));
        }
    }
}
