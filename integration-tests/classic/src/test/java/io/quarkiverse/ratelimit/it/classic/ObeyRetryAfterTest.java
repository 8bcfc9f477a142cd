package io.quarkiverse.ratelimit.it.classic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** A service that answers a client of RESTEasy Classic with Retry-After is not called until then. */
class ObeyRetryAfterTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.rate-limit.timeout", "10s")
            .overrideConfigKey("quarkus.rate-limit.policies.obeys.permits", "1000")
            .overrideConfigKey("quarkus.rate-limit.policies.obeys.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.obeys.obey-retry-after", "10m")
            .overrideConfigKey("quarkus.rest-client.busy.url", "http://localhost:${quarkus.http.test-port}");

    @Inject
    @RestClient
    Client injected;

    @Inject
    Busy busy;

    @Test
    void answerPausesTheKeyOfAnInjectedClient() {
        assertPauses(injected::call);
        assertPauses(key -> injected.response(key).close());
        assertPauses(key -> injected.stage(key).toCompletableFuture().join());
    }

    @Test
    void answerPausesTheKeyOfABuiltClient() {
        Client built = RestClientBuilder.newBuilder()
                .baseUri(URI.create(ConfigProvider.getConfig().getValue("quarkus.rest-client.busy.url", String.class)))
                .build(Client.class);

        assertPauses(built::call);
        assertPauses(key -> built.response(key).close());
        assertPauses(key -> built.stage(key).toCompletableFuture().join());
    }

    private void assertPauses(Consumer<String> call) {
        String key = UUID.randomUUID().toString();
        try {
            call.accept(key);
        } catch (CompletionException | WebApplicationException answered) {
            assertThat(busy.calls).contains(key);
        }

        assertThatThrownBy(() -> call.accept(key)).satisfies(failure -> {
            Throwable denial = failure instanceof CompletionException ? failure.getCause() : failure;
            assertThat(denial).isInstanceOfSatisfying(RateLimitExceededException.class,
                    paused -> assertThat(paused.decision().denialReason()).contains(DenialReason.PAUSED));
        });
        assertThat(busy.calls).containsOnlyOnce(key);
    }

    @Path("/busy/{key}")
    @RegisterRestClient(configKey = "busy")
    @RateLimited("obeys")
    public interface Client {

        @GET
        String call(@RateLimitKey @PathParam("key") String key);

        @GET
        Response response(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key);
    }

    @Path("/busy/{key}")
    @Singleton
    public static class Busy {

        final List<String> calls = new CopyOnWriteArrayList<>();

        @GET
        public Response get(@PathParam("key") String key) {
            calls.add(key);
            return Response.status(429).header("Retry-After", "600").build();
        }
    }
}
