package io.quarkiverse.ratelimit.runtime.web;

import java.lang.reflect.Method;

import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.client.ClientResponseContext;
import jakarta.ws.rs.client.ClientResponseFilter;
import jakarta.ws.rs.core.HttpHeaders;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.context.spi.ThreadContextController;
import org.eclipse.microprofile.context.spi.ThreadContextSnapshot;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.ext.AsyncInvocationInterceptor;
import org.eclipse.microprofile.rest.client.ext.AsyncInvocationInterceptorFactory;
import org.eclipse.microprofile.rest.client.spi.RestClientListener;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.engine.Pauses;
import io.quarkiverse.ratelimit.runtime.engine.RunningCall;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkus.arc.Arc;
import io.smallrye.config.SmallRyeConfig;

/**
 * Passes on the responses to limited calls, of all REST clients of both kinds. Other code has decided the call before, and the
 * request carries its outcome.
 */
public final class AnsweredCalls implements RestClientListener, ClientRequestFilter, ClientResponseFilter {

    /** Defined by MicroProfile Rest Client. */
    private static final String METHOD = "org.eclipse.microprofile.rest.client.invokedMethod";

    @Override
    public void onNewClient(Class<?> client, RestClientBuilder builder) {
        if (pausesAreConfigured() && !builder.getConfiguration().isRegistered(AnsweredCalls.class)) {
            AsyncInvocationInterceptorFactory stages = RequestOfStage::new;
            builder.register(this).register(stages);
        }
    }

    /** With any filter of responses, streams of Quarkus REST can miss that their connection breaks. */
    private static boolean pausesAreConfigured() {
        RateLimitConfig config = ConfigProvider.getConfig().unwrap(SmallRyeConfig.class)
                .getConfigMapping(RateLimitConfig.class);
        return config.policies().values().stream().anyMatch(policy -> !policy.obeyRetryAfter().isZero());
    }

    @Override
    public void filter(ClientRequestContext request) {
        if (request.getProperty(Pauses.OUTCOME) == null && request.getProperty(METHOD) instanceof Method method) {
            request.setProperty(Pauses.OUTCOME, RunningCall.outcome(method.getDeclaringClass()));
        }
    }

    @Override
    public void filter(ClientRequestContext request, ClientResponseContext response) {
        if (request.getProperty(Pauses.OUTCOME) instanceof Outcome outcome) {
            Arc.container().instance(Pauses.class).get().obey(outcome, response.getStatus(),
                    response.getHeaderString(HttpHeaders.RETRY_AFTER), response.getHeaderString(HttpHeaders.DATE)).subscribe()
                    .with(done -> {
                    });
        }
    }

    /** Clients of RESTEasy Classic send the request of a {@code CompletionStage} on another thread. */
    private static final class RequestOfStage implements AsyncInvocationInterceptor {

        private final ThreadContextSnapshot caller = RunningCall.snapshot();
        private ThreadContextController running;

        @Override
        public void prepareContext() {
            // called after the constructor, on the same thread
        }

        @Override
        public void applyContext() {
            running = caller.begin();
        }

        @Override
        public void removeContext() {
            running.endContext();
        }
    }
}
