package io.quarkiverse.ratelimit.test.clients;

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

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;

/** A service that answers with Retry-After is not called until then. */
@QuarkusTest
class ObeyRetryAfterTest {

    @Inject
    @RestClient
    Client injected;

    @Inject
    Busy busy;

    @Inject
    RateLimiters limiters;

    @Test
    void answerPausesTheKeyOfAnInjectedClient() {
        assertPauses(injected::call);
        assertPauses(key -> injected.response(key).close());
        assertPauses(key -> injected.stage(key).toCompletableFuture().join());
    }

    @Test
    void answerPausesTheKeyOfABuiltClient() {
        Client built = RestClientBuilder.newBuilder()
                .baseUri(URI.create(ConfigProvider.getConfig().getValue("quarkus.rest-client.obeyed.url", String.class)))
                .build(Client.class);

        assertPauses(built::call);
        assertPauses(key -> built.response(key).close());
        assertPauses(key -> built.stage(key).toCompletableFuture().join());
    }

    @Test
    void answerPausesTheFirstPolicyWhereAnOverflowHasPaid() {
        String key = UUID.randomUUID().toString();
        limiters.get("client-first-obeys").forKey(key).charge(1);
        assertThatThrownBy(() -> injected.overflowing(key)).isInstanceOf(WebApplicationException.class);

        assertPaused(limiters.get("client-first-obeys").forKey(key));
        assertPaused(limiters.get("client-obeys").forKey(key));
        assertThatThrownBy(() -> injected.overflowing(key)).isInstanceOf(RateLimitExceededException.class);
        assertThat(busy.calls).containsOnlyOnce(key);
    }

    @Test
    void answerPausesNoPayerThatDoesNotObey() {
        String key = UUID.randomUUID().toString();
        limiters.get("client-alone-obeys").forKey(key).charge(1);
        assertThatThrownBy(() -> injected.overflowingFreely(key)).isInstanceOf(WebApplicationException.class);

        assertPaused(limiters.get("client-alone-obeys").forKey(key));
        assertThat(limiters.get("client-payer").forKey(key).peek()).returns(true, RateLimitDecision::allowed)
                .returns(1L, RateLimitDecision::remaining);
    }

    private static void assertPaused(RateLimiter limiter) {
        assertThat(limiter.peek().denialReason()).contains(DenialReason.PAUSED);
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

    @Path("/obeyed/{key}")
    @RegisterRestClient(configKey = "obeyed")
    @RateLimited("client-obeys")
    public interface Client {

        @GET
        String call(@RateLimitKey @PathParam("key") String key);

        @GET
        @RateLimited("client-first-obeys")
        String overflowing(@RateLimitKey @PathParam("key") String key);

        @GET
        @RateLimited("client-alone-obeys")
        String overflowingFreely(@RateLimitKey @PathParam("key") String key);

        @GET
        Response response(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key);
    }

    @Path("/obeyed/{key}")
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
