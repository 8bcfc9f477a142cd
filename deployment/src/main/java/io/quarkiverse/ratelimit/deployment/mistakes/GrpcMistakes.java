package io.quarkiverse.ratelimit.deployment.mistakes;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.Hierarchy;
import io.smallrye.common.annotation.Blocking;

/**
 * Finds limited methods of gRPC services that Quarkus would call on an event loop, where they cannot wait for the decision.
 * They cannot be moved to a worker thread, because Quarkus ignores annotations that the build adds to them.
 */
public record GrpcMistakes(IndexView index) {

    private static final DotName SERVICE = DotName.createSimple("io.quarkus.grpc.GrpcService");
    private static final DotName GENERATED = DotName.createSimple("io.grpc.BindableService");
    private static final DotName OBSERVER = DotName.createSimple("io.grpc.stub.StreamObserver");
    private static final List<DotName> ON_WORKER = List.of(DotName.createSimple(Blocking.class),
            DotName.createSimple("io.smallrye.common.annotation.RunOnVirtualThread"),
            DotName.createSimple("jakarta.transaction.Transactional"));

    public Set<String> in(List<FoundMethod> methods) {
        return methods.stream().filter(this::waitsOnEventLoop)
                .map(found -> "@RateLimited on " + AnnotationMistakes.place(found.annotated()) + " would fail all calls of "
                        + AnnotationMistakes.place(found.declaration()) + ", as Quarkus calls it on an event loop, where it"
                        + " cannot wait for the decision. Add @Blocking or @RunOnVirtualThread to it, or let it return a Uni"
                        + " or Multi.")
                .collect(Collectors.toSet());
    }

    private boolean waitsOnEventLoop(FoundMethod found) {
        MethodInfo method = found.declaration();
        int parameters = method.parametersCount();
        if (parameters == 0 || !method.parameterType(parameters - 1).name().equals(OBSERVER)
                || method.declaringClass().interfaceNames().contains(GENERATED)) {
            return false;
        }
        List<ClassInfo> types = new Hierarchy(found.type(), index).types();
        return types.stream().anyMatch(type -> type.hasDeclaredAnnotation(SERVICE))
                && Stream.<AnnotationTarget> concat(Stream.of(method), types.stream())
                        .noneMatch(target -> ON_WORKER.stream().anyMatch(target::hasDeclaredAnnotation));
    }
}
