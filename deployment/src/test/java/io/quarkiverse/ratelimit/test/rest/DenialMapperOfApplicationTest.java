package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.test.QuarkusUnitTest;

class DenialMapperOfApplicationTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class, Limits.class, Mapper.class))
            .withConfiguration(Limits.threeAnHour("quotes", "global"));

    @Test
    void applicationsMapperReplacesTheResponseAndTheHeadersStay() {
        for (int call = 1; call <= 3; call++) {
            get("/quotes");
        }

        var denied = get("/quotes");

        assertThat(denied.statusCode()).isEqualTo(420);
        assertThat(denied.asString()).isEqualTo("quotes: PT20M");
        assertThat(Limits.left(denied)).isEqualTo("\"quotes\";r=0");
    }

    @Provider
    public static class Mapper implements ExceptionMapper<RateLimitExceededException> {
        @Override
        public Response toResponse(RateLimitExceededException denial) {
            var decision = denial.decision();
            return Response.status(420).entity(decision.policy() + ": " + Duration.ofMinutes(
                    decision.retryAfter().plusSeconds(59).toMinutes())).build();
        }
    }
}
