package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

class DenialMapperMethodTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(FirstUseTest.QuoteResource.class, Limits.class, Mappers.class, OwnMapper.class))
            .withConfiguration(Limits.threeAnHour("quotes", "global") + Limits.threeAnHour("own", "global"));

    @Test
    void applicationsMapperReplacesTheResponseAndTheHeadersStay() {
        for (int call = 1; call <= 3; call++) {
            get("/quotes");
        }

        var denied = get("/quotes");

        assertThat(denied.statusCode()).isEqualTo(420);
        assertThat(Limits.left(denied)).isEqualTo("\"quotes\";r=0");
    }

    @Test
    void resourcesOwnMapperComesFirst() {
        for (int call = 1; call <= 3; call++) {
            get("/own");
        }

        var denied = get("/own");

        assertThat(denied.statusCode()).isEqualTo(421);
    }

    @Path("/own")
    public static class OwnMapper {
        @GET
        @RateLimited("own")
        public String own() {
            return "own";
        }

        @ServerExceptionMapper
        public RestResponse<String> map(RateLimitExceededException denial) {
            return RestResponse.ResponseBuilder.<String> create(421).build();
        }
    }

    public static class Mappers {
        @ServerExceptionMapper
        public RestResponse<String> map(RateLimitExceededException denial) {
            return RestResponse.ResponseBuilder.<String> create(420).entity("calm down").build();
        }
    }
}
