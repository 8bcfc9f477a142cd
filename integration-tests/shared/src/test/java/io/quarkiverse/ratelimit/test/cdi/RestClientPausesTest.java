package io.quarkiverse.ratelimit.test.cdi;

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
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.jboss.resteasy.reactive.RestResponse;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.clients.PausesInAnyOrder;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Pauses of Quarkus REST's clients do not depend on earlier calls. */
@QuarkusTest
class RestClientPausesTest extends PausesInAnyOrder {

    @TestHTTPResource
    URI application;

    @Inject
    @RestClient
    Client injected;

    @Override
    protected Map<String, Consumer<String>> blocking() {
        Map<String, Consumer<String>> calls = new HashMap<>();
        clients().forEach((name, client) -> calls.putAll(Map.of(
                name + " text", client::text,
                name + " response", key -> client.response(key).close(),
                name + " rest response", client::restResponse,
                name + " nothing", client::nothing)));
        calls.put("injected default method", injected::byDefault);
        return calls;
    }

    @Override
    protected Map<String, Function<String, CompletionStage<?>>> reactive() {
        Map<String, Function<String, CompletionStage<?>>> calls = new HashMap<>();
        clients().forEach((name, client) -> calls.putAll(Map.of(
                name + " stage", client::stage,
                name + " stage of a response", key -> client.stageOfResponse(key).thenAccept(Response::close),
                name + " uni", key -> client.uni(key).subscribeAsCompletionStage(),
                name + " uni of a response", key -> client.uniOfResponse(key).subscribeAsCompletionStage(),
                name + " stream", key -> client.stream(key).collect().asList().subscribeAsCompletionStage())));
        return calls;
    }

    private Map<String, Client> clients() {
        return Map.of("injected", injected, "built", RestClientBuilder.newBuilder().baseUri(application).build(Client.class),
                "built again", RestClientBuilder.newBuilder().baseUri(application).build(Client.class));
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
        RestResponse<String> restResponse(@RateLimitKey @PathParam("key") String key);

        @GET
        void nothing(@RateLimitKey @PathParam("key") String key);

        @RateLimited("obeys")
        default String byDefault(@RateLimitKey String key) {
            return text(key);
        }

        @GET
        CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<Response> stageOfResponse(@RateLimitKey @PathParam("key") String key);

        @GET
        Uni<String> uni(@RateLimitKey @PathParam("key") String key);

        @GET
        Uni<RestResponse<String>> uniOfResponse(@RateLimitKey @PathParam("key") String key);

        @GET
        @Produces(MediaType.SERVER_SENT_EVENTS)
        Multi<String> stream(@RateLimitKey @PathParam("key") String key);
    }
}
