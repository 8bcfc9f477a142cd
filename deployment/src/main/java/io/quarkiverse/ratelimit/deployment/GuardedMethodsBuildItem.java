package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

import io.quarkus.builder.item.SimpleBuildItem;

/** Every method that is guarded by {@code @RateLimited}. */
final class GuardedMethodsBuildItem extends SimpleBuildItem {

    private final GuardedMethodFinder finder;
    private final List<Found> methods;

    GuardedMethodsBuildItem(GuardedMethodFinder finder) {
        this.finder = finder;
        this.methods = List.copyOf(finder.find());
    }

    /** Every class that each annotation limits, and every interface of a REST client. */
    Map<AnnotationInstance, List<ClassInfo>> limited() {
        return finder.annotations().stream().collect(Collectors.toMap(Function.identity(), finder::limited));
    }

    List<Found> methods() {
        return methods;
    }

    /** The method of this class, declared by it or inherited, if the filter decides it. */
    Optional<Found> decidedByFilter(ClassInfo type, MethodInfo method) {
        String id = MethodId.of(type, method);
        return methods.stream().filter(found -> found.byFilter() && found.guarded().id().equals(id)).findFirst();
    }
}
