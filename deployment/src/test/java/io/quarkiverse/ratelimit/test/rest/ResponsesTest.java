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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

class ResponsesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Resource.class))
            .withConfiguration(Limits.threeForEachPath("answer") + """
                    quarkus.http.cors.enabled=true
                    quarkus.http.cors.origins=https://app.example
                    """);

    @Test
    void allowedRequestIsToldWhereItStands() {
        long now = Instant.now().getEpochSecond();

        var allowed = given().header("X-Path", "allowed").get("/answers");

        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"answer\";q=3;w=3600");
        assertThat(allowed.header("RateLimit")).matches("\"answer\";r=2;t=1(200|19\\d)");
        assertThat(allowed.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(Long.parseLong(allowed.header("X-RateLimit-Reset"))).isBetween(now + 1200, now + 1210);
        assertThat(allowed.header("Retry-After")).isNull();
        assertThat(allowed.headers().getValues("RateLimit")).hasSize(1);
    }

    @Test
    void deniedRequestIsAnsweredWithAProblem() {
        for (int call = 1; call <= 3; call++) {
            given().header("X-Path", "denied").get("/answers");
        }

        var denied = given().header("X-Path", "denied").header("Origin", "https://app.example")
                .accept("text/plain").get("/answers");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        Limits.assertRetryAfter(1200, denied);
        assertThat(denied.header("Cache-Control")).isEqualTo("no-store");
        assertThat(denied.header("RateLimit")).isEqualTo("\"answer\";r=0;t=" + denied.header("Retry-After"));
        assertThat(denied.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
        assertThat(denied.jsonPath().getString("type"))
                .isEqualTo("https://iana.org/assignments/http-problem-types#quota-exceeded");
        assertThat(denied.jsonPath().getString("title")).isNotBlank();
        assertThat(denied.jsonPath().getInt("status")).isEqualTo(429);
        assertThat(denied.jsonPath().getString("detail")).isNotBlank();
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("answer");
    }

    @ParameterizedTest
    @CsvSource({ "failing,500", "failing-later,500", "bad,400", "mapped,418", "none,204", "conflict,409" })
    void everyAnswerToADecidedRequestHasTheHeaders(String path, int status) {
        var answer = given().header("X-Path", path).get("/answers/" + path);

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(Limits.left(answer)).isEqualTo("\"answer\";r=2");
        assertThat(answer.header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void requestsThatReachNoMethodCostNothing() {
        assertThat(get("/answers/unknown").statusCode()).isEqualTo(404);
        assertThat(given().post("/answers").statusCode()).isEqualTo(405);
        assertThat(given().contentType("text/xml").body("<a/>").post("/answers/text").statusCode()).isEqualTo(415);
        assertThat(Limits.left(get("/answers/unknown"))).isNull();
        assertThat(Limits.left(given().post("/answers"))).isNull();
        assertThat(Limits.left(given().contentType("text/xml").body("<a/>").post("/answers/text"))).isNull();

        assertThat(Limits.left(given().contentType("text/plain").body("a").post("/answers/text")))
                .isEqualTo("\"answer\";r=2");
    }

    @Test
    void preflightRequestCostsNothing() {
        var preflight = given().header("Origin", "https://app.example").header("Access-Control-Request-Method", "GET")
                .header("X-Path", "preflight").options("/answers");

        assertThat(preflight.statusCode()).isEqualTo(200);
        assertThat(Limits.left(preflight)).isNull();
        assertThat(Limits.left(given().header("X-Path", "preflight").get("/answers"))).isEqualTo("\"answer\";r=2");
    }

    @Path("/answers")
    @RateLimited("answer")
    public static class Resource {
        @GET
        public String answer() {
            return "answer";
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
