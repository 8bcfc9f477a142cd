package io.quarkiverse.ratelimit.runtime.entry.client;

import java.lang.reflect.Method;

import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;
import jakarta.ws.rs.client.ClientResponseContext;
import jakarta.ws.rs.client.ClientResponseFilter;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.spi.RestClientListener;

import io.quarkiverse.ratelimit.runtime.engine.RunningCall;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkus.arc.Arc;
import io.smallrye.config.SmallRyeConfig;

/**
 * Reads {@code Retry-After} from the responses to limited client calls. Other code has decided the call before, and the request
 * carries its outcome.
 */
public final class RetryAfterFilter implements RestClientListener, ClientRequestFilter, ClientResponseFilter {

    /** Defined by MicroProfile Rest Client. */
    private static final String METHOD = "org.eclipse.microprofile.rest.client.invokedMethod";

    @Override
    public void onNewClient(Class<?> client, RestClientBuilder builder) {
        if (pausesAreConfigured() && !builder.getConfiguration().isRegistered(RetryAfterFilter.class)) {
            builder.register(this);
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
            Arc.container().instance(Pauses.class).get().obey(outcome, response.getStatus(), response.getHeaders())
                    .subscribe().with(done -> {
                    });
        }
    }
}
