package io.quarkiverse.ratelimit.runtime.entry.rest;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestFilter;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveResourceInfo;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.entry.http.LimitedRequest;
import io.quarkiverse.ratelimit.runtime.entry.http.Work;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkus.arc.Arc;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/**
 * Decides requests to limited resource methods without blocking any thread. It runs after Quarkus' authentication and
 * authorization, and before all other filters that run once the method is known. Where the key or the cost uses arguments, it
 * runs just before the method is called.
 */
@ApplicationScoped
public class RateLimitFilter implements ResteasyReactiveContainerRequestFilter {

    /** The name binding of this filter. */
    public static final String NAME = RateLimitFilter.class.getName();

    private final RuleRegistry registry;
    private final Engine engine;
    private final LimitedRequest.Shared shared;
    private final Map<ResteasyReactiveResourceInfo, CallRules> rulesOfMethod = new ConcurrentHashMap<>();

    RateLimitFilter(RuleRegistry registry, Engine engine, LimitedRequest.Shared shared) {
        this.registry = registry;
        this.engine = engine;
        this.shared = shared;
    }

    @Override
    public void filter(ResteasyReactiveContainerRequestContext context) {
        ResteasyReactiveRequestContext request = (ResteasyReactiveRequestContext) context.getServerRequestContext();
        decide(request, rulesOf(request), List.of());
    }

    void decide(ResteasyReactiveRequestContext request, Object[] arguments) {
        CallRules rules = rulesOf(request);
        decide(request, rules.costing(arguments), rules.keyArguments(arguments));
    }

    private void decide(ResteasyReactiveRequestContext request, CallRules rules, List<KeyArgument> keyArguments) {
        // none of its policies is enabled
        if (rules.charges().isEmpty()) {
            return;
        }
        LimitedRequest limited = LimitedRequest.of(request.unwrap(RoutingContext.class), new RestWork(request), shared);
        HttpCaller caller = limited.caller();
        // with lazy authentication, the caller is authenticated only if a key, a plan or an exemption needs the identity
        Uni<Outcome> decision = rules.needsIdentity()
                ? caller.identity().chain(() -> engine.decide(rules, caller, keyArguments))
                : engine.decide(rules, caller, keyArguments);
        request.suspend();
        PlainUni.subscribe(limited.whileClientWaits(decision, rules),
                outcome -> apply(outcome, request, limited), failure -> fail(request, failure));
    }

    private static void fail(ResteasyReactiveRequestContext request, Throwable failure) {
        if (failure == Work.CLIENT_HAS_LEFT) {
            request.close();
        } else {
            // keeps the target of a denied request, which is needed to find the resource's own exception mappers
            request.resume(failure, failure instanceof RateLimitException);
        }
    }

    private CallRules rulesOf(ResteasyReactiveRequestContext request) {
        ResteasyReactiveResourceInfo method = request.getResteasyReactiveResourceInfo();
        CallRules rules = rulesOfMethod.get(method);
        if (rules == null) {
            rules = registry.rules(method.getResourceClass(), method.getName(), method.getParameterTypes());
            rulesOfMethod.put(method, rules);
        }
        return rules;
    }

    private static void apply(Outcome outcome, ResteasyReactiveRequestContext request, LimitedRequest limited) {
        try {
            RuntimeException failure = limited.apply(outcome, outcome.newDenial());
            if (failure == null) {
                limited.hold(outcome.lease());
                request.resume();
            } else {
                fail(request, failure);
            }
        } catch (Throwable e) {
            request.resume(e);
        }
    }

    /**
     * Binds the filter to a limited resource method, without adding a handler.
     *
     * <p>
     * Quarkus REST reads name bindings from the method that carries {@code @GET} and the like. This may be a method of an
     * interface, while the limit is declared on the class that implements it. So the build finds the limited methods, and
     * this class adds the binding in the only phase before the method's filters are chosen.
     */
    public static final class Binding implements HandlerChainCustomizer {

        @Override
        public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
            if (phase == Phase.AFTER_MATCH) {
                Set<String> bindings = new HashSet<>(method.getNameBindingNames());
                bindings.add(NAME);
                method.setNameBindingNames(bindings);
            }
            return List.of();
        }
    }

    /**
     * Decides calls of a resource method when its arguments are known and nothing of the response is written. Later would
     * be too late for a stream, whose headers are written before anybody subscribes to the method's result.
     */
    public static final class OfArguments implements HandlerChainCustomizer {

        @Override
        public List<ServerRestHandler> handlers(Phase phase, ResourceClass resourceClass, ServerResourceMethod method) {
            if (phase != Phase.BEFORE_METHOD_INVOKE) {
                return List.of();
            }
            RateLimitFilter filter = Arc.container().instance(RateLimitFilter.class).get();
            return List.of(request -> filter.decide(request, request.getParameters()));
        }
    }
}
