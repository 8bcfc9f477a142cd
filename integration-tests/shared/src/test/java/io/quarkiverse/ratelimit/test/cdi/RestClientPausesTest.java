package io.quarkiverse.ratelimit.test.cdi;

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

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.jboss.resteasy.reactive.RestResponse;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.clients.PausesInAnyOrder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Pauses of Quarkus REST's clients do not depend on earlier calls. */
@QuarkusTest
class RestClientPausesTest extends PausesInAnyOrder {

    @Inject
    @RestClient
    RestClientOfQuarkus injectedToo;

    @Override
    protected Map<String, Consumer<String>> blocking() {
        Map<String, Consumer<String>> calls = super.blocking();
        clients(injectedToo, RestClientOfQuarkus.class)
                .forEach((name, client) -> calls.put(name + " rest response", client::restResponse));
        calls.put("injected default method", injectedToo::byDefault);
        return calls;
    }

    @Override
    protected Map<String, Function<String, CompletionStage<?>>> reactive() {
        Map<String, Function<String, CompletionStage<?>>> calls = super.reactive();
        clients(injectedToo, RestClientOfQuarkus.class).forEach((name, client) -> calls.putAll(Map.of(
                name + " uni", key -> client.uni(key).subscribeAsCompletionStage(),
                name + " uni of a response", key -> client.uniOfResponse(key).subscribeAsCompletionStage(),
                name + " stream", key -> client.stream(key).collect().asList().subscribeAsCompletionStage())));
        return calls;
    }

    @Path("/busy/{key}")
    @RegisterRestClient(configKey = "busy")
    @RateLimited("obeys")
    public interface RestClientOfQuarkus {

        @GET
        RestResponse<String> restResponse(@RateLimitKey @PathParam("key") String key);

        @RateLimited("obeys")
        default String byDefault(@RateLimitKey String key) {
            return text(key);
        }

        @GET
        String text(@RateLimitKey @PathParam("key") String key);

        @GET
        Uni<String> uni(@RateLimitKey @PathParam("key") String key);

        @GET
        Uni<RestResponse<String>> uniOfResponse(@RateLimitKey @PathParam("key") String key);

        @GET
        @Produces(MediaType.SERVER_SENT_EVENTS)
        Multi<String> stream(@RateLimitKey @PathParam("key") String key);
    }
}
