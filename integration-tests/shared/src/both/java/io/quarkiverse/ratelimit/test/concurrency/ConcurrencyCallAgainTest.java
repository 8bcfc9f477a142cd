package io.quarkiverse.ratelimit.test.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class ConcurrencyCallAgainTest {

    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @Inject
    @RateLimitPolicy("one-again")
    RateLimiter one;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "stage", "suspended", "missing", "broken", "broken-stage" })
    void clientMayCallAgainAsSoonAsItHasTheResponse(String kind) throws Exception {
        int port = ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/again/" + kind)).build();

        for (int call = 0; call < 200; call++) {
            assertThat(CLIENT.send(request, BodyHandlers.ofString()).statusCode()).isNotEqualTo(429);
        }

        await().atMost(Duration.ofSeconds(20)).until(() -> one.forKey("any").peek().allowed());
    }

    @Path("/again")
    @RateLimited("one-again")
    public static class Work {

        @GET
        @Path("plain")
        public String plain() {
            return "done";
        }

        @GET
        @Path("stage")
        public CompletionStage<String> stage() {
            return CompletableFuture.completedStage("done");
        }

        @GET
        @Path("suspended")
        public void suspended(@Suspended AsyncResponse response) {
            response.resume("done");
        }

        @GET
        @Path("missing")
        public String missing() {
            throw new NotFoundException();
        }

        @GET
        @Path("broken")
        public String broken() {
            throw new IllegalStateException("broken on purpose");
        }

        @GET
        @Path("broken-stage")
        public CompletionStage<String> brokenStage() {
            return CompletableFuture.supplyAsync(this::broken);
        }
    }
}
