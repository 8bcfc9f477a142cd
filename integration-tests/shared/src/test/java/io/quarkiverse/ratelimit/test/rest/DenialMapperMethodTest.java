package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.entry.rest.RestDenialMapper;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@TestProfile(Profiles.WithoutRedis.class)
class DenialMapperMethodTest {

    @Test
    void applicationsMapperReplacesTheResponseAndTheHeadersStay() {
        for (int call = 1; call <= 3; call++) {
            get("/mapped-by-method");
        }

        var denied = get("/mapped-by-method");

        assertThat(denied.statusCode()).isEqualTo(420);
        assertThat(Limits.left(denied)).isEqualTo("\"mapped-by-method\";r=0");
    }

    @Test
    void resourcesOwnMapperComesFirst() {
        for (int call = 1; call <= 3; call++) {
            get("/mapped-by-resource");
        }

        var denied = get("/mapped-by-resource");

        assertThat(denied.statusCode()).isEqualTo(421);
    }

    @Path("/mapped-by-method")
    public static class Resource {
        @GET
        @RateLimited("mapped-by-method")
        public String mapped() {
            return "mapped";
        }
    }

    @Path("/mapped-by-resource")
    public static class OwnMapper {
        @GET
        @RateLimited("mapped-by-resource")
        public String own() {
            return "own";
        }

        @ServerExceptionMapper
        public RestResponse<String> map(RateLimitExceededException denial) {
            return RestResponse.ResponseBuilder.<String> create(421).build();
        }
    }

    @IfBuildProperty(name = Profiles.MAPPER, stringValue = "method")
    public static class Mappers {

        @Inject
        RestDenialMapper ofOtherPolicies;

        @ServerExceptionMapper
        public Response map(RateLimitExceededException denial) {
            return !denial.decision().policy().startsWith("mapped") ? ofOtherPolicies.toResponse(denial)
                    : Response.status(420).entity("calm down").build();
        }
    }
}
