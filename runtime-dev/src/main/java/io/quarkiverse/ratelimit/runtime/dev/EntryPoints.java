package io.quarkiverse.ratelimit.runtime.dev;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;

/** Serves the page of entry points: limited methods, routes and injected limiters. */
@Singleton
public class EntryPoints {

    private final PolicyReferences references;
    private final Settings settings;

    EntryPoints(PolicyReferences references, Settings settings) {
        this.references = references;
        this.settings = settings;
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists what rate limit policies limit: methods, routes of paths, and injected limiters. \"a > b\""
            + " means that b is the overflow of a, and pays for calls that a denies")
    public Shown entryPoints() {
        return new Shown(references.methods().stream().map(this::shown).toList(),
                settings.routes().stream().map(route -> new ShownRoute(route.name(), paths(route),
                        route.methods().isEmpty() ? "all" : String.join(", ", new TreeSet<>(route.methods())),
                        chain(route.policy().name()))).toList(),
                references.limiters().stream().map(limiter -> new InjectedLimiter(chain(limiter.policy()), limiter.place()))
                        .toList());
    }

    /** Returns the names of a policy and its overflows. */
    private String chain(String policy) {
        return settings.chain(policy).stream().map(Policy::name).collect(Collectors.joining(" > "));
    }

    private ShownMethod shown(LimitedMethod method) {
        CallParameters parameters = method.parameters();
        String costs = method.uses().stream().map(use -> String.valueOf(use.cost())).collect(Collectors.joining(", "));
        return new ShownMethod(method.id(),
                method.uses().stream().map(use -> chain(use.policy())).collect(Collectors.joining(", ")),
                parameters.cost() == CallParameters.NO_COST ? costs : "parameter " + (parameters.cost() + 1),
                parameters.keys().stream().map(key -> "parameter " + (key.index() + 1)
                        + (key.property().isEmpty() ? "" : ": " + key.property())).collect(Collectors.joining(", ")),
                !method.byFilter() ? "interceptor"
                        : parameters.isEmpty() ? "request filter"
                                : "before the method, once its parameters are known");
    }

    private static String paths(Route route) {
        return String.join(", ", route.paths())
                + (route.except().isEmpty() ? "" : ", except " + String.join(", ", route.except()));
    }

    public record Shown(List<ShownMethod> methods, List<ShownRoute> routes, List<InjectedLimiter> limiters) {
    }

    /** @param key parameters that are part of the key */
    public record ShownMethod(String method, String policies, String cost, String key, String enforcedBy) {
    }

    /** Paths that a policy limits. */
    public record ShownRoute(String name, String paths, String methods, String policy) {
    }
}
