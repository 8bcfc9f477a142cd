package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;

import org.jboss.resteasy.reactive.RestResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.entry.classic.ClassicDecisions;
import io.quarkiverse.ratelimit.runtime.entry.rest.RateLimitFilter;
import io.quarkus.arc.Arc;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Kinds of methods that only Quarkus REST has. */
@QuarkusTest
class EndpointKindsTest {

    @ParameterizedTest
    @ValueSource(strings = { "non-blocking", "uni", "blocking-uni", "empty-uni", "multi", "sse", "rest-response" })
    void everyKindOfEndpointIsLimited(String kind) {
        for (int call = 2; call >= 0; call--) {
            var allowed = given().header("X-Path", kind).get("/kinds/" + kind);
            assertThat(allowed.statusCode()).isBetween(200, 204);
            assertThat(Limits.left(allowed)).isEqualTo("\"kind\";r=" + call);
        }

        var denied = given().header("X-Path", kind).get("/kinds/" + kind);

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(denied.jsonPath().getInt("status")).isEqualTo(429);
    }

    @ParameterizedTest
    @CsvSource({ "plain,true", "non-blocking,false", "uni,false", "blocking-uni,true", "stage,false" })
    void endpointRunsOnTheThreadThatQuarkusChooses(String kind, boolean worker) {
        assertThat(given().header("X-Path", "thread " + kind).get("/kinds/" + kind).asString()).isEqualTo("worker: " + worker);
    }

    @Test
    void uniOfASubResourceIsLimited() {
        Limits.assertCountedOnce("kind", "GET", "/root-of-uni/uni");
    }

    @Test
    void nothingOfRestEasyClassicIsThere() {
        assertThat(Arc.container().listAll(RateLimitFilter.class)).hasSize(1);
        assertThat(Arc.container().listAll(ClassicDecisions.Filter.class)).isEmpty();
        assertThat(Arc.container().listAll(ClassicDecisions.class)).isEmpty();
    }

    @Path("/kinds")
    @RateLimited("kind")
    public static class Kinds {
        @GET
        @Path("plain")
        public String plain() {
            return thread();
        }

        @GET
        @Path("non-blocking")
        @NonBlocking
        public String nonBlocking() {
            return thread();
        }

        @GET
        @Path("uni")
        public Uni<String> uni() {
            return Uni.createFrom().item(Kinds::thread);
        }

        @GET
        @Path("blocking-uni")
        @Blocking
        public Uni<String> blockingUni() {
            return Uni.createFrom().item(thread());
        }

        @GET
        @Path("empty-uni")
        public Uni<Void> emptyUni() {
            return Uni.createFrom().voidItem();
        }

        @GET
        @Path("multi")
        public Multi<String> multi() {
            return Multi.createFrom().items("a", "b");
        }

        @GET
        @Path("sse")
        @Produces("text/event-stream")
        public Multi<String> events() {
            return Multi.createFrom().items("a", "b");
        }

        @GET
        @Path("stage")
        public CompletionStage<String> stage() {
            return CompletableFuture.completedFuture(thread());
        }

        @GET
        @Path("rest-response")
        public RestResponse<String> restResponse() {
            return RestResponse.ok("response");
        }

        private static String thread() {
            return "worker: " + BlockingOperationControl.isBlockingAllowed();
        }
    }

    @Path("/root-of-uni")
    public static class RootOfUni {
        @Path("")
        public Reactive reactive() {
            return new Reactive();
        }
    }

    public static class Reactive {
        @GET
        @Path("uni")
        @RateLimited("kind")
        public Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }
    }
}
