package io.quarkiverse.ratelimit.deployment.mistakes;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.ratelimit.deployment.keys.KeyProperties;
import io.quarkiverse.ratelimit.deployment.keys.KeyTypes;
import io.quarkiverse.ratelimit.deployment.methods.DecisionParameters;
import io.quarkiverse.ratelimit.deployment.methods.FoundMethod;
import io.quarkiverse.ratelimit.deployment.methods.LimitedMethodFinder;
import io.quarkiverse.ratelimit.deployment.methods.MethodId;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;

/** Finds {@code @RateLimitKey} and {@code @RateLimitCost} annotations that have no effect or an unsuitable type. */
public final class ParameterMistakes {

    private static final String REMEDY = "A key is text, a number, a boolean, an enum, a UUID, a java.time value, or an"
            + " Optional of one. Annotate such a parameter, or name such a property, as in @RateLimitKey(\"user.name\").";

    private final IndexView index;
    private final KeyProperties properties;
    private final List<FoundMethod> found;
    private final Set<String> mistakes = new TreeSet<>();

    /** @param found the limited methods */
    public ParameterMistakes(IndexView index, KeyProperties properties, List<FoundMethod> found) {
        this.index = index;
        this.properties = properties;
        this.found = found;
    }

    public Set<String> in(List<AnnotationInstance> annotations) {
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
        String value = annotation.value() == null ? "" : "(\"" + annotation.value().asString() + "\")";
        String place = "@" + annotation.name().withoutPackagePrefix() + value + " on parameter " + (parameter.position() + 1)
                + " of " + MethodId.of(method.declaringClass(), method);
        if (!isLimited(method)) {
            mistakes.add(place + " has no effect, as the method is not limited. Annotate it with @RateLimited or remove it.");
        }
        if (annotation.name().equals(DecisionParameters.COST)) {
            checkCost(parameter, place);
        } else {
            checkKey(parameter, place);
        }
    }

    /**
     * Returns whether the method is limited. For an abstract method, the declaration is enough, because its implementation may
     * be in another application.
     */
    private boolean isLimited(MethodInfo method) {
        return found.stream().anyMatch(limited -> limited.declarations().contains(method))
                || method.isAbstract() && LimitedMethodFinder.isDeclaredLimited(method);
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

    /** Checks the type that the parameter has in each class with the method; a type parameter may differ between them. */
    private void checkKey(MethodParameterInfo parameter, String place) {
        MethodInfo method = parameter.method();
        String property = DecisionParameters.property(parameter);
        List<FoundMethod> limited = found.stream().filter(other -> other.declarations().contains(method)).toList();
        if (limited.isEmpty()) {
            checkKey(parameter.type(), property, true, place);
        }
        for (FoundMethod each : limited) {
            checkKey(each.typeOf(method, parameter.position(), index), property, each.type().isAbstract(), place);
            checkPolicies(parameter, each, place);
        }
    }

    /** Reports policies that do not limit the method. An abstract method may have other policies where it is implemented. */
    private void checkPolicies(MethodParameterInfo parameter, FoundMethod limited, String place) {
        List<String> policies = limited.limited().uses().stream().map(PolicyUse::policy).toList();
        for (String policy : DecisionParameters.policies(parameter)) {
            if (!policies.contains(policy)) {
                mistakes.add(place + " names the policy \"" + policy + "\", which does not limit " + limited.limited().id()
                        + ". Name only policies of the method: " + String.join(", ", policies) + ".");
            }
        }
    }

    /** @param generic whether subclasses may know more about the type */
    private void checkKey(Type type, String property, boolean generic, String place) {
        if (generic && KeyTypes.isOpen(type)) {
            return;
        }
        if (!property.isEmpty()) {
            try {
                properties.path(type, property);
            } catch (IllegalArgumentException noKey) {
                mistakes.add(place + " " + noKey.getMessage() + " " + REMEDY);
            }
        } else if (!properties.isKey(type)) {
            mistakes.add(place + " is no key, as it is a " + type + ", which " + properties.list(type) + ". " + REMEDY);
        }
    }
}
