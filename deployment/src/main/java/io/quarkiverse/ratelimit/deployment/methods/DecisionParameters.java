package io.quarkiverse.ratelimit.deployment.methods;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;

/** Finds the parameters that a decision needs, in the nearest declaration that annotates any. */
public final class DecisionParameters {

    static final DotName KEY = DotName.createSimple(RateLimitKey.class);
    public static final DotName COST = DotName.createSimple(RateLimitCost.class);

    private static final Set<String> COST_TYPES = Set.of("int", "long", "java.lang.Integer", "java.lang.Long");

    private DecisionParameters() {
    }

    /** @param declarations all declarations of one method, nearest first */
    static CallParameters of(List<MethodInfo> declarations) {
        for (MethodInfo declaration : declarations) {
            CallParameters parameters = of(declaration);
            if (!parameters.isEmpty()) {
                return parameters;
            }
        }
        return CallParameters.NONE;
    }

    private static CallParameters of(MethodInfo method) {
        List<CallParameters.Key> keys = new ArrayList<>();
        int cost = CallParameters.NO_COST;
        for (MethodParameterInfo parameter : method.parameters()) {
            if (parameter.hasDeclaredAnnotation(KEY)) {
                keys.add(new CallParameters.Key(parameter.position(), property(parameter), policies(parameter), null));
            }
            if (parameter.hasDeclaredAnnotation(COST)) {
                cost = parameter.position();
            }
        }
        return new CallParameters(keys, cost);
    }

    /** Returns the property that is the key, or an empty text for the argument itself. */
    public static String property(MethodParameterInfo parameter) {
        AnnotationValue property = parameter.declaredAnnotation(KEY).value();
        return property == null ? "" : property.asString();
    }

    /** Returns the policies whose key the argument belongs to; empty for all of the method. */
    public static List<String> policies(MethodParameterInfo parameter) {
        AnnotationValue policies = parameter.declaredAnnotation(KEY).value("policies");
        return policies == null ? List.of() : List.of(policies.asStringArray());
    }

    public static boolean isCost(MethodParameterInfo parameter) {
        return COST_TYPES.contains(parameter.type().name().toString());
    }
}
