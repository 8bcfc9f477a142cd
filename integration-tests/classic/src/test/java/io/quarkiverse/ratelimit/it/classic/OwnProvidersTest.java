package io.quarkiverse.ratelimit.it.classic;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.core.Feature;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The application's filters run after the decision, and its mapper of denials replaces the extension's. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class OwnProvidersTest {

    @Test
    void filtersSeeAllowedRequestsOnlyAndTheMapperMapsDenials() {
        assertThat(get("/own-providers").asString()).isEqualTo("ran after 1 filtered");

        var denied = get("/own-providers");

        assertThat(denied.statusCode()).isEqualTo(418);
        assertThat(denied.asString()).isEqualTo("own, 1 filtered");
        assertThat(Limits.left(denied)).isEqualTo("\"own\";r=0");
    }

    @Path("/own-providers")
    public static class Resource {
        @GET
        @RateLimited("own")
        public String run() {
            return "ran after " + First.filtered + " filtered";
        }
    }

    @Provider
    public static class OfTheProfile implements Feature {
        @Override
        public boolean configure(FeatureContext context) {
            if (ConfigProvider.getConfig().getOptionalValue(Profiles.Providers.PROPERTY, Boolean.class).orElse(false)) {
                context.register(new First()).register(new Own());
            }
            return true;
        }
    }

    @Priority(Priorities.AUTHENTICATION + 2)
    public static class First implements ContainerRequestFilter {

        static volatile int filtered;

        @Override
        public void filter(ContainerRequestContext request) {
            if (request.getUriInfo().getPath().equals("/own-providers")) {
                filtered++;
            }
        }
    }

    public static class Own implements ExceptionMapper<RateLimitExceededException> {
        @Override
        public Response toResponse(RateLimitExceededException denial) {
            String policy = denial.decision().policy();
            return Response.status(policy.equals("own") ? 418 : 429).entity(policy + ", " + First.filtered + " filtered")
                    .build();
        }
    }
}
