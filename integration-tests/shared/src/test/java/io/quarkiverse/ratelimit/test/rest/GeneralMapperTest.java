package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@TestProfile(Profiles.Providers.class)
class GeneralMapperTest {

    @Test
    void mappersOfMoreGeneralExceptionsDoNotReplaceTheResponse() {
        for (int call = 1; call <= 3; call++) {
            var failed = get("/failing");
            assertThat(failed.statusCode()).isEqualTo(418);
            assertThat(Limits.left(failed)).isEqualTo("\"failing\";r=" + (3 - call));
        }

        var denied = get("/failing");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
    }

    @Path("/failing")
    public static class Failing {
        @GET
        @RateLimited("failing")
        public String fail() {
            throw new IllegalStateException();
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    @Provider
    public static class OfThrowable implements ExceptionMapper<Throwable> {
        @Override
        public Response toResponse(Throwable failure) {
            return Response.status(500).entity("throwable").build();
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    @Provider
    public static class OfRuntimeException implements ExceptionMapper<RuntimeException> {
        @Override
        public Response toResponse(RuntimeException failure) {
            return Response.status(418).entity("runtime exception").build();
        }
    }
}
