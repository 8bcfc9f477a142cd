package io.quarkiverse.ratelimit.it.classic;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.clients.PausesInAnyOrder;
import io.quarkus.test.junit.QuarkusTest;

/** Pauses of RESTEasy Classic's clients do not depend on earlier calls. */
@QuarkusTest
class PausesTest extends PausesInAnyOrder {

    @Inject
    @RestClient
    Client injected;

    @Override
    protected Map<String, Consumer<String>> blocking() {
        Map<String, Consumer<String>> calls = new HashMap<>();
        clients().forEach((name, client) -> calls.putAll(Map.of(
                name + " text", client::text,
                name + " response", key -> client.response(key).close(),
                name + " nothing", client::nothing)));
        return calls;
    }

    @Override
    protected Map<String, Function<String, CompletionStage<?>>> reactive() {
        Map<String, Function<String, CompletionStage<?>>> calls = new HashMap<>();
        clients().forEach((name, client) -> calls.putAll(Map.of(
                name + " stage", client::stage,
                name + " stage of a response", key -> client.stageOfResponse(key).thenAccept(Response::close))));
        return calls;
    }

    private Map<String, Client> clients() {
        URI service = URI.create(ConfigProvider.getConfig().getValue("quarkus.rest-client.busy.url", String.class));
        return Map.of("injected", injected, "built", RestClientBuilder.newBuilder().baseUri(service).build(Client.class),
                "built again", RestClientBuilder.newBuilder().baseUri(service).build(Client.class));
    }

    @Path("/busy/{key}")
    @RegisterRestClient(configKey = "busy")
    @RateLimited("obeys")
    public interface Client {

        @GET
        String text(@RateLimitKey @PathParam("key") String key);

        @GET
        Response response(@RateLimitKey @PathParam("key") String key);

        @GET
        void nothing(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<Response> stageOfResponse(@RateLimitKey @PathParam("key") String key);
    }
}
