package io.quarkiverse.ratelimit.runtime.langchain4j;

import jakarta.ws.rs.client.ClientRequestContext;
import jakarta.ws.rs.client.ClientRequestFilter;

import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.spi.RestClientListener;

/**
 * Adds the outcome of the call of an AI service to the requests of its models, so that policies obey the answers. Requests of
 * its tools are not changed. A request fails if the price of the call is unknown.
 */
public final class ModelRequests implements RestClientListener, ClientRequestFilter {

    /** Stream that begins on this thread. */
    private static final ThreadLocal<TokenCall> BEGINNING = new ThreadLocal<>();
    /** Stream whose tool ran on this thread, until it sends its next request here. */
    private static final ThreadLocal<TokenCall> CONTINUING = new ThreadLocal<>();

    /** Begins a stream, which sends its first request on this thread. */
    static void begin(TokenCall stream, Runnable subscription) {
        TokenCall outer = BEGINNING.get();
        BEGINNING.set(stream);
        try {
            subscription.run();
        } finally {
            BEGINNING.set(outer);
        }
    }

    /** Expects the next request of a stream on this thread. */
    static void continues(TokenCall stream) {
        CONTINUING.set(stream);
    }

    @Override
    public void onNewClient(Class<?> client, RestClientBuilder builder) {
        boolean isOfModel = client.getName().startsWith("io.quarkiverse.langchain4j.")
                || client.getName().startsWith("dev.langchain4j.");
        if (isOfModel && !builder.getConfiguration().isRegistered(ModelRequests.class)) {
            builder.register(this);
        }
    }

    @Override
    public void filter(ClientRequestContext request) {
        TokenCall continuing = CONTINUING.get();
        CONTINUING.remove();
        TokenCall call = BEGINNING.get() != null ? BEGINNING.get()
                : TokenCall.current() != null ? TokenCall.current() : continuing;
        if (call != null && !call.limited().hasEnded()) {
            call.requirePrice();
            call.limited().addTo(request::setProperty);
        }
    }
}
