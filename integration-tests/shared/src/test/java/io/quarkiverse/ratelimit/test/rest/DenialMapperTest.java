package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.entry.rest.RestDenialMapper;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class DenialMapperTest {

    @Test
    void applicationsMapperReplacesTheResponseAndTheHeadersStay() {
        for (int call = 1; call <= 3; call++) {
            get("/mapped");
        }

        var denied = get("/mapped");

        assertThat(denied.statusCode()).isEqualTo(420);
        assertThat(denied.asString()).isEqualTo("mapped: PT20M");
        assertThat(Limits.left(denied)).isEqualTo("\"mapped\";r=0");
    }

    @Path("/mapped")
    public static class Resource {
        @GET
        @RateLimited("mapped")
        public String mapped() {
            return "mapped";
        }
    }

    @IfBuildProperty(name = Profiles.MAPPER, stringValue = "class")
    @Provider
    public static class Mapper implements ExceptionMapper<RateLimitExceededException> {

        @Inject
        RestDenialMapper ofOtherPolicies;

        @Override
        public Response toResponse(RateLimitExceededException denial) {
            var decision = denial.decision();
            return !decision.policy().equals("mapped") ? ofOtherPolicies.toResponse(denial)
                    : Response.status(420).entity(decision.policy() + ": " + Duration.ofMinutes(
                            decision.retryAfter().plusSeconds(59).toMinutes())).build();
        }
    }
}
