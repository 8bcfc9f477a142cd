package io.quarkiverse.ratelimit.deployment;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

import io.quarkus.builder.item.SimpleBuildItem;

/** Every method that is guarded by {@code @RateLimited}. */
final class GuardedMethodsBuildItem extends SimpleBuildItem {

    private final List<Found> methods;

    GuardedMethodsBuildItem(List<Found> methods) {
        this.methods = List.copyOf(methods);
    }

    List<Found> methods() {
        return methods;
    }

    /** Whether the method of this class, declared by it or inherited, is one that the filter decides. */
    boolean isDecidedByFilter(ClassInfo type, MethodInfo method) {
        String id = MethodId.of(type, method);
        return methods.stream().anyMatch(found -> found.byFilter() && found.guarded().id().equals(id));
    }
}
