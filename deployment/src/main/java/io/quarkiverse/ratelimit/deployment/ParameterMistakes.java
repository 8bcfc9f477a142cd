package io.quarkiverse.ratelimit.deployment;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jboss.jandex.Type;

/** Finds {@code @RateLimitKey} and {@code @RateLimitCost} annotations that have no effect or an unsuitable type. */
final class ParameterMistakes {

    private final IndexView index;
    private final List<FoundMethod> found;
    private final Set<String> mistakes = new TreeSet<>();

    /** @param found the limited methods */
    ParameterMistakes(IndexView index, List<FoundMethod> found) {
        this.index = index;
        this.found = found;
    }

    Set<String> in(List<AnnotationInstance> annotations) {
        for (AnnotationInstance annotation : annotations) {
            MethodParameterInfo parameter = annotation.target().asMethodParameter();
            // the compiler copies annotations to bridge methods
            if (!parameter.method().isSynthetic()) {
                check(annotation, parameter);
            }
        }
        return mistakes;
    }

    private void check(AnnotationInstance annotation, MethodParameterInfo parameter) {
        MethodInfo method = parameter.method();
        String place = "@" + annotation.name().withoutPackagePrefix() + " on parameter " + (parameter.position() + 1) + " of "
                + MethodId.of(method.declaringClass(), method);
        if (!isLimited(method)) {
            mistakes.add(place + " has no effect, as the method is not limited. Annotate it with @RateLimited or remove it.");
        }
        if (annotation.name().equals(DecisionParameters.COST)) {
            checkCost(parameter, place);
        } else {
            checkKey(parameter, place);
        }
    }

    /** For an abstract method the declaration is enough, because its implementation may be in another application. */
    private boolean isLimited(MethodInfo method) {
        return found.stream().anyMatch(limited -> limited.declarations().contains(method))
                || Modifier.isAbstract(method.flags()) && LimitedMethodFinder.isDeclaredLimited(method);
    }

    private void checkCost(MethodParameterInfo parameter, String place) {
        MethodInfo method = parameter.method();
        if (!DecisionParameters.isCost(parameter)) {
            mistakes.add(place + " is no cost, as it is a " + parameter.type() + ". Make it an int or a long.");
        }
        if (method.parameters().stream().filter(other -> other.hasDeclaredAnnotation(DecisionParameters.COST)).count() > 1) {
            mistakes.add("@RateLimitCost is there twice on " + MethodId.of(method.declaringClass(), method)
                    + ". Keep the one that is the cost.");
        }
    }

    /** Without its own {@code toString}, every object would be a different caller. */
    private void checkKey(MethodParameterInfo parameter, String place) {
        Type type = parameter.type();
        if (type.kind() == Type.Kind.ARRAY || lacksText(index.getClassByName(type.name()))) {
            mistakes.add(place + " does not distinguish callers, as a " + type + " has no toString of its own."
                    + " Give it one, or a parameter that identifies the caller.");
        }
    }

    private boolean lacksText(ClassInfo type) {
        return type != null && !type.isInterface() && !type.name().equals(DotName.OBJECT_NAME) && !inheritsText(type)
                && index.getAllKnownSubclasses(type.name()).stream().noneMatch(ParameterMistakes::hasText);
    }

    /** Whether a class has or inherits {@code toString}. Assumes so for classes that are not indexed, such as Record. */
    private boolean inheritsText(ClassInfo type) {
        ClassInfo c = type;
        while (c != null && !hasText(c)) {
            if (c.superName().equals(DotName.OBJECT_NAME)) {
                return false;
            }
            c = index.getClassByName(c.superName());
        }
        return true;
    }

    private static boolean hasText(ClassInfo type) {
        return type.method("toString") != null;
    }
}
