package io.quarkiverse.ratelimit.deployment.methods;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkus.builder.item.MultiBuildItem;

/** The interfaces that another extension implements, and whose limited methods it decides itself. */
public final class LimitedInterfacesBuildItem extends MultiBuildItem {

    private final DotName annotation;
    private final Function<MethodInfo, Optional<String>> mistake;

    /**
     * @param annotation marks the interfaces
     * @param mistake why {@code @RateLimited} on an abstract method of such an interface has no effect, as the end of a
     *        sentence
     */
    public LimitedInterfacesBuildItem(DotName annotation, Function<MethodInfo, Optional<String>> mistake) {
        this.annotation = annotation;
        this.mistake = mistake;
    }

    static boolean anyContains(List<LimitedInterfacesBuildItem> all, ClassInfo type) {
        return all.stream().anyMatch(interfaces -> interfaces.contains(type));
    }

    boolean contains(ClassInfo type) {
        return type.isInterface() && type.hasDeclaredAnnotation(annotation);
    }

    /** Returns why an annotation on this method has no effect. */
    public Optional<String> mistake(MethodInfo method) {
        if (!contains(method.declaringClass())) {
            return Optional.empty();
        }
        return method.isAbstract() ? mistake.apply(method)
                : Optional.of(" has no effect, as it is code of the application. Annotate the methods that it calls.");
    }
}
