package io.quarkiverse.ratelimit.runtime.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
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

    /** A request has a value under this key if a route has decided it. */
    public static final String DECIDED = RouteFilter.class.getName();
    /** The maximum number of cached combinations of routes. A caller may send paths whose readings match any of them. */
    private static final int MAX_COMBINATIONS = 1_000;

    private final List<RoutePaths> routes;
    private final RuleRegistry registry;
    private final Engine engine;
    private final CallerAddresses addresses;
    private final RequestDecisions decisions;
    private final Map<List<RoutePaths>, CallRules> rulesOfRoutes = new ConcurrentHashMap<>();

    RouteFilter(Settings settings, VertxHttpBuildTimeConfig http, RuleRegistry registry, Engine engine,
            CallerAddresses addresses, RequestDecisions decisions) {
        this.routes = settings.routes().stream().filter(route -> !registry.rules(List.of(route)).charges().isEmpty())
                .map(route -> new RoutePaths(route, http)).toList();
        this.registry = registry;
        this.engine = engine;
        this.addresses = addresses;
        this.decisions = decisions;
    }

    public void decide(RoutingContext routing) {
        if (routing.get(DECIDED) != null) {
            decisions.rerouted(routing);
        }
        List<RoutePaths> matched;
        try {
            matched = newRoutesOf(routing);
        } catch (IllegalArgumentException undecodablePath) {
            // the same status as without a limit
            routing.fail(400);
            return;
        }
        if (matched.isEmpty()) {
            routing.next();
            return;
        }
        CallRules rules = rulesOf(matched);
        Context context = Objects.requireNonNull(Vertx.currentContext());
        Uni<Outcome> decision = engine.decide(rules, HttpCaller.of(routing, addresses), CallParameters.NO_ARGUMENTS);
        PlainUni.subscribe(decisions.whileClientWaits(decision, rules, routing, Work.UNKNOWN),
                outcome -> EventLoop.switchTo(context, outcome, decided -> apply(decided, routing)),
                failure -> {
                    if (failure != Work.CLIENT_HAS_LEFT) {
                        EventLoop.switchTo(context, failure, routing::fail);
                    }
                });
    }

    /** Connects the decision for a request to the work that serves it. */
    public static void servedBy(Work work, RoutingContext routing) {
        ResponseLease.servedBy(work, routing);
        StatusRefunds.of(routing).ifPresent(refunds -> refunds.cancelWithClient(work, routing));
    }

    /** Also matches the routes of a new path when the application reroutes a request, but each route only once. */
    private List<RoutePaths> newRoutesOf(RoutingContext routing) {
        Collection<String> paths = RoutePaths.readings(routing.request().path(), routing.normalizedPath());
        String method = routing.request().method().name();
        Set<RoutePaths> decided = routing.get(DECIDED, new HashSet<>());
        routing.put(DECIDED, decided);
        List<RoutePaths> matched = new ArrayList<>();
        for (RoutePaths route : routes) {
            if (route.limits(method, paths) && decided.add(route)) {
                matched.add(route);
            }
        }
        return matched;
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

    private void apply(Outcome outcome, RoutingContext routing) {
        try {
            RateLimitException denial = outcome.newDenial();
            boolean left = decisions.applyAndHold(outcome, denial, routing, Work.UNKNOWN);
            if (denial != null) {
                decisions.response(denial, routing, Work.UNKNOWN).send(routing);
            } else if (!left) {
                // so that the method does not charge them again
                outcome.all()
                        .forEach(counted -> HttpCaller.of(routing, addresses).recordCharge(counted.policy(), counted.key()));
                routing.next();
            }
        } catch (Throwable e) {
            decisions.failed(outcome, e);
            routing.fail(e);
        }
    }
}
