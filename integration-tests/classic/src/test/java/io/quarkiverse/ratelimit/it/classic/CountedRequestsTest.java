package io.quarkiverse.ratelimit.it.classic;

import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Response;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.countwhen.CountedRequests;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class CountedRequestsTest extends CountedRequests {

    static Stream<String> paths() {
        return Stream.of("/counted-requests/plain", "/counted-requests/thrown", "/counted-requests/keyed",
                "/counted-by-route/plain",
                "/counted-later/stage", "/counted-later/suspended");
    }

    @Path("/counted-later")
    @RateLimited("counted-failures")
    public static class Later {

        @Inject
        Gates gates;

        @GET
        @Path("stage")
        public CompletionStage<Response> stage(@HeaderParam("X-Key") String key) {
            return gates.ofRequest(key).thenApply(status -> Response.status(status).entity("done").build());
        }

        @GET
        @Path("suspended")
        public void suspended(@HeaderParam("X-Key") String key, @Suspended AsyncResponse response) {
            gates.ofRequest(key).thenAccept(status -> response.resume(Response.status(status).entity("done").build()));
        }
    }
}
