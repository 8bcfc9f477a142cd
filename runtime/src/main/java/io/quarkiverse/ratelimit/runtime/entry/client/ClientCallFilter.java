package io.quarkiverse.ratelimit.runtime.entry.client;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CancellationException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Named;
import jakarta.ws.rs.client.ClientRequestFilter;

import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.spi.RestClientListener;
import org.jboss.resteasy.reactive.client.impl.RestClientRequestContext;
import org.jboss.resteasy.reactive.client.spi.ResteasyReactiveClientRequestContext;
import org.jboss.resteasy.reactive.client.spi.ResteasyReactiveClientRequestFilter;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkus.arc.Arc;
import io.quarkus.arc.InstanceHandle;
import io.smallrye.mutiny.Multi;
import io.vertx.core.http.HttpClientResponse;

/** Decides calls of REST clients that a builder made, without blocking any thread. No interceptor sees these calls. */
@Named(ClientCallFilter.NAME)
@ApplicationScoped
public class ClientCallFilter implements ResteasyReactiveClientRequestFilter {

    static final String NAME = "io.quarkiverse.ratelimit.client-calls";

    /** The client's interface. The invoked method alone may be inherited by several. */
    private static final String INTERFACE = "io.quarkiverse.ratelimit.client";

    private final RuleRegistry registry;
    private final Engine engine;
    private final Refunds refunds;
    private final RequestLookup requests;

    ClientCallFilter(RuleRegistry registry, Engine engine, Refunds refunds, Instance<RequestLookup> requests) {
        this.registry = registry;
        this.engine = engine;
        this.refunds = refunds;
        this.requests = RequestLookup.of(requests);
    }

    @Override
    public void filter(ResteasyReactiveClientRequestContext call) {
        Class<?> client = (Class<?>) call.getConfiguration().getProperty(INTERFACE);
        if (!(call.getProperty(RestClientRequestContext.INVOKED_METHOD_PROP) instanceof Method method)) {
            return;
        }
        Object[] arguments = ((List<?>) call.getProperty(RestClientRequestContext.INVOKED_METHOD_PARAMETERS_PROP)).toArray();
        CallRules rules = registry.rules(client, method).costing(arguments);
        if (rules.charges().isEmpty()) {
            return;
        }
        List<KeyArgument> keys = rules.keyArguments(arguments);
        CurrentRequest request = requests.current();
        call.suspend();
        CallerContext.onCallerThread(request.callerFor(rules)
                .chain(caller -> engine.decide(rules, caller, keys)))
                .invoke(outcome -> apply(call, outcome, request))
                .subscribe().with(allowed -> call.resume(), call::resume);
    }

    private void apply(ResteasyReactiveClientRequestContext call, Outcome outcome, CurrentRequest request) {
        RateLimitException denial = outcome.newDenial();
        if (denial != null) {
            throw denial;
        }
        if (call.unwrap(RestClientRequestContext.class).isUserCanceled()) {
            // nobody is notified of that before the request is sent
            refunds.refund(outcome).subscribeAsCompletionStage();
            throw new CancellationException();
        }
        if (!request.refundByStatusAtEnd(outcome)) {
            engine.notifyCounted(outcome);
        }
        call.setProperty(Pauses.OUTCOME, outcome);
        if (outcome.lease() != Lease.NONE) {
            holdWhileRunning(outcome.lease().confirm(), call.unwrap(RestClientRequestContext.class));
        }
    }

    /** Releases the lease when the response is complete. The result of a stream is there when its response begins. */
    private static void holdWhileRunning(Lease lease, RestClientRequestContext call) {
        boolean streams = call.getInvokedMethod().getReturnType() == Multi.class;
        call.getResult().whenComplete((result, failure) -> {
            HttpClientResponse stream = streams && failure == null ? call.getVertxClientResponse() : null;
            if (stream == null) {
                lease.release();
            } else {
                stream.end().onComplete(ended -> lease.release());
            }
        });
    }

    /**
     * Adds the filter to clients that the application makes with a builder. The interceptor already decides calls of
     * injected clients, which Quarkus makes with the same builder.
     */
    public static final class BuiltClients implements RestClientListener {

        private static final String INJECTED = "io.quarkus.rest.client.reactive.runtime.RestClientCDIDelegateBuilder";

        @Override
        public void onNewClient(Class<?> client, RestClientBuilder builder) {
            if (Arc.container() == null || isInjected()) {
                return;
            }
            // by name, as the class of the filter can be loaded only beside quarkus-rest-client
            InstanceHandle<ClientRequestFilter> filter = Arc.container().instance(NAME);
            if (filter.isAvailable()) {
                builder.property(INTERFACE, client);
                if (!builder.getConfiguration().isRegistered(filter.get())) {
                    builder.register(filter.get(), Integer.MIN_VALUE);
                }
            }
        }

        private static boolean isInjected() {
            return StackWalker.getInstance().walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(INJECTED)));
        }
    }
}
