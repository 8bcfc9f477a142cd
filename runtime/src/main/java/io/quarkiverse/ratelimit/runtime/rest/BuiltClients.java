package io.quarkiverse.ratelimit.runtime.rest;

import jakarta.ws.rs.client.ClientRequestFilter;

import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.spi.RestClientListener;

import io.quarkus.arc.Arc;
import io.quarkus.arc.ArcContainer;
import io.quarkus.arc.InstanceHandle;

/**
 * Adds the filter to clients that the application makes with a builder. The interceptor already decides calls of
 * injected clients, which Quarkus makes with the same builder.
 */
public final class BuiltClients implements RestClientListener {

    private static final String INJECTED = "io.quarkus.rest.client.reactive.runtime.RestClientCDIDelegateBuilder";

    @Override
    public void onNewClient(Class<?> client, RestClientBuilder builder) {
        ArcContainer container = Arc.container();
        if (container == null || isInjected()) {
            return;
        }
        // by name, as its class exists only beside quarkus-rest-client
        InstanceHandle<ClientRequestFilter> filter = container.instance(ClientCallFilter.NAME);
        if (filter.isAvailable()) {
            builder.property(ClientCallFilter.INTERFACE, client);
            if (!builder.getConfiguration().isRegistered(filter.get())) {
                builder.register(filter.get(), Integer.MIN_VALUE);
            }
        }
    }

    private static boolean isInjected() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(INJECTED)));
    }
}
