package io.quarkiverse.ratelimit.deployment;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkus.builder.item.SimpleBuildItem;

/** Holds every method limited by {@code @RateLimited}. */
public final class LimitedMethodsBuildItem extends SimpleBuildItem {

    private final IndexView index;
    private final LimitedMethodFinder finder;
    private final List<FoundMethod> methods;

    LimitedMethodsBuildItem(IndexView index, LimitedMethodFinder finder) {
        this.index = index;
        this.finder = finder;
        this.methods = List.copyOf(finder.find());
    }

    IndexView index() {
        return index;
    }

    /** The classes and REST client interfaces that each annotation limits. */
    Map<AnnotationInstance, List<ClassInfo>> limited() {
        return finder.annotations().stream().collect(Collectors.toMap(Function.identity(), finder::limited));
    }

    List<FoundMethod> methods() {
        return methods;
    }

    /** The methods that the extension which implements these interfaces must limit. */
    public List<FoundMethod> methodsOf(LimitedInterfacesBuildItem interfaces) {
        return methods.stream().filter(found -> interfaces.contains(found.type())).toList();
    }

    /** The declared or inherited method of this class, if the filter decides its calls. */
    Optional<FoundMethod> decidedByFilter(ClassInfo type, MethodInfo method) {
        String id = MethodId.of(type, method);
        return methods.stream().filter(found -> found.byFilter() && found.limited().id().equals(id)).findFirst();
    }
}
