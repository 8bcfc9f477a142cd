package io.quarkiverse.ratelimit.deployment.methods;

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

    public LimitedMethodsBuildItem(IndexView index, LimitedMethodFinder finder) {
        this.index = index;
        this.finder = finder;
        this.methods = List.copyOf(finder.find());
    }

    public IndexView index() {
        return index;
    }

    /** Returns the classes and REST client interfaces that each annotation limits. */
    public Map<AnnotationInstance, List<ClassInfo>> limited() {
        return finder.annotations().stream().collect(Collectors.toMap(Function.identity(), finder::limited));
    }

    public List<FoundMethod> methods() {
        return methods;
    }

    /** Returns the methods that the extension which implements these interfaces must limit. */
    public List<FoundMethod> methodsOf(LimitedInterfacesBuildItem interfaces) {
        return methods.stream().filter(found -> interfaces.contains(found.type())).toList();
    }

    /** Returns the declared or inherited method of this class, if the filter decides its calls. */
    public Optional<FoundMethod> decidedByFilter(ClassInfo type, MethodInfo method) {
        String id = MethodId.of(type, method);
        return methods.stream().filter(found -> found.byFilter() && found.limited().id().equals(id)).findFirst();
    }
}
