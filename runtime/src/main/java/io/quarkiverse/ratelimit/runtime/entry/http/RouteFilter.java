package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkus.vertx.http.runtime.VertxHttpBuildTimeConfig;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to the paths of configured routes, whatever serves them. It runs after Quarkus' CORS filter and
 * before authentication. Quarkus has paused the request, so its body stays unread until something reads it.
 */
@ApplicationScoped
public class RouteFilter {

    /** Between the priorities of Quarkus' CORS filter, 300, and its authentication, 200. */
    static final int PRIORITY = 250;

    /** The maximum number of cached combinations of routes. A caller may send paths whose readings match any of them. */
    private static final int MAX_COMBINATIONS = 1_000;

    private final List<RoutePaths> routes;
    private final RuleRegistry registry;
    private final Engine engine;
    private final LimitedRequest.Shared shared;
    private final Map<List<RoutePaths>, CallRules> rulesOfRoutes = new ConcurrentHashMap<>();

    RouteFilter(Settings settings, VertxHttpBuildTimeConfig http, RuleRegistry registry, Engine engine,
            LimitedRequest.Shared shared) {
        this.routes = settings.routes().stream().filter(route -> !registry.rules(List.of(route)).charges().isEmpty())
                .map(route -> new RoutePaths(route, http)).toList();
        this.registry = registry;
        this.engine = engine;
        this.shared = shared;
    }

    public void decide(RoutingContext routing) {
        LimitedRequest known = routing.get(LimitedRequest.KEY);
        if (known != null) {
            known.rerouted();
        }
        List<RoutePaths> matched;
        try {
            matched = routesOf(routing);
        } catch (IllegalArgumentException undecodablePath) {
            // the same status as without a limit
            routing.fail(400);
            return;
        }
        if (matched.isEmpty()) {
            routing.next();
            return;
        }
        LimitedRequest request = LimitedRequest.of(routing, Work.UNKNOWN, shared);
        CallRules rules = rulesOf(request.decideBy(matched));
        Context context = Objects.requireNonNull(Vertx.currentContext());
        Uni<Outcome> decision = engine.decide(rules, request.caller(), List.of());
        PlainUni.subscribe(request.whileClientWaits(decision, rules),
                outcome -> EventLoop.switchTo(context, outcome, decided -> apply(decided, routing, request)),
                failure -> {
                    if (failure != Work.CLIENT_HAS_LEFT) {
                        EventLoop.switchTo(context, failure, routing::fail);
                    }
                });
    }

    private List<RoutePaths> routesOf(RoutingContext routing) {
        Collection<String> paths = RoutePaths.readings(routing.request().path(), routing.normalizedPath());
        String method = routing.request().method().name();
        return routes.stream().filter(route -> route.limits(method, paths)).toList();
    }

    private CallRules rulesOf(List<RoutePaths> matched) {
        CallRules rules = rulesOfRoutes.get(matched);
        if (rules == null) {
            rules = registry.rules(matched.stream().map(RoutePaths::route).toList());
            if (rulesOfRoutes.size() < MAX_COMBINATIONS) {
                rulesOfRoutes.put(matched, rules);
            }
        }
        return rules;
    }

    private void apply(Outcome outcome, RoutingContext routing, LimitedRequest request) {
        try {
            RuntimeException failure = request.apply(outcome, outcome.newDenial());
            if (failure instanceof RateLimitException denial) {
                request.response(denial).send(routing);
            } else if (failure == null) {
                request.hold(outcome.lease());
                // so that the method does not charge them again
                outcome.all().stream().map(Decision::firstAsked)
                        .forEach(counted -> request.caller().recordCharge(counted.policy(), counted.key()));
                routing.next();
            }
        } catch (Throwable e) {
            routing.fail(e);
        }
    }
}
