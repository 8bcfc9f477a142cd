package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.faulttolerance.api.BeforeRetry;
import io.smallrye.mutiny.Uni;

/** The limit of a resource class charges a request once, whatever else runs within it. */
@QuarkusTest
class ResourceClassTest {

    @ParameterizedTest
    @ValueSource(strings = { "fallback", "later-fallback", "retry", "asynchronous", "itself", "proxy", "argument?user=a" })
    void requestIsChargedOnce(String path) {
        assertCountedOnce("resource-class", "GET", "/resource-class/" + path);
    }

    @Path("/resource-class")
    @ApplicationScoped
    @RateLimited("resource-class")
    public static class Resource {

        private final AtomicInteger attempts = new AtomicInteger();

        @Inject
        Resource self;

        @GET
        @Path("fallback")
        @Fallback(fallbackMethod = "instead")
        public String fallback() {
            throw new IllegalStateException("no");
        }

        public String instead() {
            return "fallback";
        }

        @GET
        @Path("later-fallback")
        @Fallback(fallbackMethod = "laterInstead")
        public Uni<String> laterFallback() {
            return Uni.createFrom().item("").onItem().delayIt().by(Duration.ofMillis(1))
                    .onItem().failWith(() -> new IllegalStateException("no"));
        }

        Uni<String> laterInstead() {
            return Uni.createFrom().item("fallback");
        }

        @GET
        @Path("retry")
        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @BeforeRetry(methodName = "again")
        public String retry() {
            if (attempts.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("again");
            }
            return "retried";
        }

        void again() {
        }

        @GET
        @Path("asynchronous")
        @Asynchronous
        public Uni<String> asynchronous() {
            return laterInstead();
        }

        @GET
        @Path("itself")
        public String itself() {
            return instead() + fallback();
        }

        @GET
        @Path("proxy")
        public String proxy() {
            return self.instead() + self.itself();
        }

        @GET
        @Path("argument")
        public String argument(@RateLimitKey @QueryParam("user") String user) {
            return instead();
        }
    }
}
