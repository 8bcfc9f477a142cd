package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

@QuarkusTest
class DenialResponseTest {

    @Test
    void allowedRequestHasHeaders() {
        long now = Instant.now().getEpochSecond();

        var allowed = given().header("X-Path", "allowed").get("/quotes");

        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"quote\";q=3;w=3600");
        assertThat(allowed.header("RateLimit")).matches("\"quote\";r=2;t=1(200|19\\d)");
        assertThat(allowed.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(Long.parseLong(allowed.header("X-RateLimit-Reset"))).isBetween(now + 1200, now + 1210);
        assertThat(allowed.header("Retry-After")).isNull();
        assertThat(allowed.headers().getValues("RateLimit")).hasSize(1);
    }

    @Test
    void deniedRequestGetsAProblem() {
        for (int call = 1; call <= 3; call++) {
            given().header("X-Path", "denied").get("/quotes");
        }

        var denied = given().header("X-Path", "denied").header("Origin", "https://app.example")
                .accept("text/plain").get("/quotes");

        Limits.assertProblem(429, "quota-exceeded", "Quota Exceeded", "quote", denied);
        Limits.assertRetryAfter(1200, denied);
        assertThat(denied.header("RateLimit")).isEqualTo("\"quote\";r=0;t=" + denied.header("Retry-After"));
        assertThat(denied.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
    }

    @ParameterizedTest
    @CsvSource({ "failing,500", "failing-later,500", "bad,400", "mapped,418", "none,204", "conflict,409" })
    void everyResponseToADecidedRequestHasTheHeaders(String path, int status) {
        var response = given().header("X-Path", path).get("/quotes/" + path);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(Limits.left(response)).isEqualTo("\"quote\";r=2");
        assertThat(response.header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void requestsThatReachNoMethodCostNothing() {
        assertThat(get("/quotes/unknown").statusCode()).isEqualTo(404);
        assertThat(given().post("/quotes").statusCode()).isEqualTo(405);
        assertThat(given().contentType("text/xml").body("<a/>").post("/quotes/text").statusCode()).isEqualTo(415);
        assertThat(Limits.left(get("/quotes/unknown"))).isNull();
        assertThat(Limits.left(given().post("/quotes"))).isNull();
        assertThat(Limits.left(given().contentType("text/xml").body("<a/>").post("/quotes/text"))).isNull();

        assertThat(Limits.left(given().contentType("text/plain").body("a").post("/quotes/text")))
                .isEqualTo("\"quote\";r=2");
    }

    @Test
    void preflightRequestCostsNothing() {
        var preflight = given().header("Origin", "https://app.example").header("Access-Control-Request-Method", "GET")
                .header("X-Path", "preflight").options("/quotes");

        assertThat(preflight.statusCode()).isEqualTo(200);
        assertThat(Limits.left(preflight)).isNull();
        assertThat(Limits.left(given().header("X-Path", "preflight").get("/quotes"))).isEqualTo("\"quote\";r=2");
    }

    @Path("/quotes")
    @RateLimited("quote")
    public static class Resource {
        @GET
        public String quote() {
            return "quote";
        }

        @POST
        @Path("text")
        @Consumes("text/plain")
        public String text(String text) {
            return text;
        }

        @GET
        @Path("failing")
        public String failing() {
            throw new IllegalStateException("unmapped, on purpose");
        }

        @GET
        @Path("failing-later")
        public Uni<String> failingLater() {
            return Uni.createFrom().failure(new IllegalStateException("unmapped, on purpose"));
        }

        @GET
        @Path("bad")
        public String bad() {
            throw new BadRequestException();
        }

        @GET
        @Path("mapped")
        public String mapped() {
            throw new UnsupportedOperationException();
        }

        @GET
        @Path("none")
        public void none() {
        }

        @GET
        @Path("conflict")
        public Response conflict() {
            return Response.status(409).build();
        }

        @ServerExceptionMapper
        public Response map(UnsupportedOperationException e) {
            return Response.status(418).build();
        }
    }
}
