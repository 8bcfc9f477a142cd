package io.quarkiverse.ratelimit.runtime.web;

import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.Guard;
import io.quarkiverse.ratelimit.runtime.engine.Guards;
import io.quarkiverse.ratelimit.runtime.engine.Outcome;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkus.vertx.http.runtime.VertxHttpBuildTimeConfig;
import io.vertx.core.impl.ContextInternal;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to the paths of configured routes: after Quarkus' CORS filter, before authentication, whatever serves
 * them. Quarkus has paused the request, so that its body waits for whoever reads it.
 */
@ApplicationScoped
public class RouteFilter {

    /** Between those of Quarkus' CORS filter, 300, and of its authentication, 200. */
    static final int PRIORITY = 250;

    private static final String DECIDED = RouteFilter.class.getName();
    /** How many combinations of routes are remembered. */
    private static final int MAX_GUARDS = 1_000;

    private final List<RoutePaths> routes;
    private final Guards guards;
    private final Engine engine;
    private final RequestCallers callers;
    private final RequestAnswers answers;
    private final Map<BitSet, Guard> guardOfRoutes = new ConcurrentHashMap<>();

    RouteFilter(Settings settings, VertxHttpBuildTimeConfig http, Guards guards, Engine engine, RequestCallers callers,
            RequestAnswers answers) {
        this.routes = settings.routes().stream().filter(route -> !guards.of(List.of(route)).isEmpty())
                .map(route -> new RoutePaths(route, http)).toList();
        this.guards = guards;
        this.engine = engine;
        this.callers = callers;
        this.answers = answers;
    }

    public void decide(RoutingContext routing) {
        BitSet met;
        try {
            met = routesNewlyMetBy(routing);
        } catch (IllegalArgumentException undecodablePath) {
            // as without a limit
            routing.fail(400);
            return;
        }
        if (met.isEmpty()) {
            routing.next();
            return;
        }
        Guard guard = guardOf(met);
        ContextInternal context = Objects.requireNonNull(ContextInternal.current());
        DecidedRequest.await(engine.decide(guard, callers.of(routing)), routing, engine.mayWait(guard),
                outcome -> context.emit(outcome, decided -> answer(decided, routing)),
                failure -> context.emit(failure, routing::fail), () -> {
                });
    }

    /** A request that the application sends on to another path meets that one's routes too, but none twice. */
    private BitSet routesNewlyMetBy(RoutingContext routing) {
        BitSet met = new BitSet(routes.size());
        Collection<String> paths = PathReadings.of(routing);
        String method = routing.request().method().name();
        for (int i = 0; i < routes.size(); i++) {
            RoutePaths route = routes.get(i);
            if (route.route().methods().isEmpty() || route.route().methods().contains(method)) {
                met.set(i, paths.stream().anyMatch(route::contain));
            }
        }
        BitSet decided = routing.get(DECIDED);
        if (decided == null) {
            routing.put(DECIDED, met);
        } else {
            met.andNot(decided);
            decided.or(met);
        }
        return met;
    }

    private Guard guardOf(BitSet met) {
        Guard guard = guardOfRoutes.get(met);
        if (guard == null) {
            guard = guards.of(met.stream().mapToObj(i -> routes.get(i).route()).toList());
            if (guardOfRoutes.size() < MAX_GUARDS) {
                guardOfRoutes.put((BitSet) met.clone(), guard);
            }
        }
        return guard;
    }

    private void answer(Outcome outcome, RoutingContext routing) {
        RateLimitExceededException refusal = outcome.refusal();
        answers.decided(outcome, refusal, routing, EndOfWork.UNKNOWN);
        if (refusal == null) {
            ResponseLease.hold(outcome.lease(), routing);
            routing.next();
        } else {
            RouteRefusal.send(RefusalAnswer.of(refusal, outcome), routing);
        }
    }
}
