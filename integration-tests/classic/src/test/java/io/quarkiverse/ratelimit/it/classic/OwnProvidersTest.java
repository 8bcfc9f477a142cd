package io.quarkiverse.ratelimit.it.classic;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.QuarkusUnitTest;

/** The application's filters run after the decision, and its mapper of denials replaces the extension's. */
class OwnProvidersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Resource.class, First.class, Own.class))
            .withConfiguration(Limits.threeAnHour("one", "global") + """
                    quarkus.rate-limit.policies.one.permits=1
                    """);

    @Test
    void filtersSeeAllowedRequestsOnlyAndTheMapperMapsDenials() {
        assertThat(get("/own").asString()).isEqualTo("ran after 1 filtered");

        var denied = get("/own");

        assertThat(denied.statusCode()).isEqualTo(418);
        assertThat(denied.asString()).isEqualTo("one, 1 filtered");
        assertThat(Limits.left(denied)).isEqualTo("\"one\";r=0");
    }

    @Path("/own")
    public static class Resource {
        @GET
        @RateLimited("one")
        public String run() {
            return "ran after " + First.filtered + " filtered";
        }
    }

    @Provider
    @Priority(Priorities.AUTHENTICATION + 2)
    public static class First implements ContainerRequestFilter {

        static volatile int filtered;

        @Override
        public void filter(ContainerRequestContext request) {
            filtered++;
        }
    }

    @Provider
    public static class Own implements ExceptionMapper<RateLimitExceededException> {
        @Override
        public Response toResponse(RateLimitExceededException denial) {
            return Response.status(418).entity(denial.decision().policy() + ", " + First.filtered + " filtered").build();
        }
    }
}
