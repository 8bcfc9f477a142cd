package io.quarkiverse.ratelimit.runtime.devui;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.GuardedMethod;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;
import io.quarkiverse.ratelimit.runtime.settings.Settings;

/** Answers the page of what is limited: guarded methods, routes, and limiters that are injected. */
@Singleton
public class LimitedPlaces {

    private final PolicyUsers users;
    private final Settings settings;

    LimitedPlaces(PolicyUsers users, Settings settings) {
        this.users = users;
        this.settings = settings;
    }

    public String placeCount() {
        return count(users.methods().size(), "method") + ", " + count(settings.routes().size(), "route");
    }

    public Places places() {
        return new Places(users.methods().stream().map(LimitedPlaces::shown).toList(),
                settings.routes().stream().map(route -> new ShownRoute(route.name(), String.join(", ", route.paths()),
                        route.methods().isEmpty() ? "all" : String.join(", ", new TreeSet<>(route.methods())),
                        route.policy().name())).toList(),
                users.limiters().stream().map(limiter -> new ShownLimiter(limiter.place(), limiter.policy())).toList());
    }

    private static ShownMethod shown(GuardedMethod method) {
        CallParameters parameters = method.parameters();
        return new ShownMethod(method.id(),
                method.uses().stream().map(use -> use.policy()).collect(Collectors.joining(", ")),
                parameters.cost() == CallParameters.NO_COST
                        ? method.uses().stream().map(use -> String.valueOf(use.cost())).collect(Collectors.joining(", "))
                        : "parameter " + (parameters.cost() + 1),
                parameters.keys().stream().map(key -> "parameter " + (key + 1)).collect(Collectors.joining(", ")),
                enforced(method));
    }

    private static String enforced(GuardedMethod method) {
        if (!method.byFilter()) {
            return "interceptor";
        }
        return method.parameters().isEmpty() ? "request filter" : "before the method, once its parameters are known";
    }

    private static String count(int count, String what) {
        return count + " " + what + (count == 1 ? "" : "s");
    }

    /** All that is limited. */
    public record Places(List<ShownMethod> methods, List<ShownRoute> routes, List<ShownLimiter> limiters) {
    }

    /** @param key the parameters that belong to the key */
    public record ShownMethod(String method, String policies, String cost, String key, String enforced) {
    }

    /** Paths that a policy limits. */
    public record ShownRoute(String name, String paths, String methods, String policy) {
    }

    /** @param place where it is injected */
    public record ShownLimiter(String place, String policy) {
    }
}
