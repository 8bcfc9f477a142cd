package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.vertx.ext.web.Router;

/** Requests to configured paths are limited, whatever serves them. */
@QuarkusTest
class RoutePathsTest {

    private String caller;

    @BeforeEach
    void freshCaller() {
        caller = UUID.randomUUID().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/paths/api/hello", "/paths/api/unknown", "/paths/static/page.txt", "/paths/plain",
            "/paths/inner/one/end" })
    void fourthRequestIsDenied(String path) {
        for (int left = 2; left >= 0; left--) {
            Response response = get(path);
            assertThat(response.statusCode()).isNotEqualTo(429);
            assertThat(left(response)).isEqualTo("\"three-paths\";r=" + left);
        }

        Response denied = get(path);

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(denied.header("Cache-Control")).isEqualTo("no-store");
        assertThat(Long.parseLong(denied.header("Retry-After"))).isBetween(1100L, 1200L);
        assertThat(denied.header("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"three-paths\";q=3;w=3600");
        assertThat(denied.jsonPath().getList("violated-policies")).isEqualTo(List.of("three-paths"));
        assertThat(denied.jsonPath().getInt("status")).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = { "/paths/other", "/paths/apis", "/paths/plain/deeper", "/paths/inner/one/two/end",
            "/paths/inner/end" })
    void otherPathsAreNot(String path) {
        assertThat(get(path).headers().hasHeaderWithName("RateLimit")).isFalse();
    }

    @Test
    void headHasNoBodyAndCountsLikeGet() {
        assertThat(left(head("/paths/api/hello"))).isEqualTo("\"three-paths\";r=2");
        assertThat(left(head("/paths/reading"))).isEqualTo("\"three-paths\";r=1");
        get("/paths/api/hello");

        Response denied = head("/paths/api/hello");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isNotNull();
    }

    @Test
    void onlyTheNamedMethodsAreLimited() {
        assertThat(get("/paths/method").header("RateLimit")).isNull();
        assertThat(left(given().header("X-Caller", caller).post("/paths/method"))).isEqualTo("\"three-paths\";r=2");
        assertThat(left(given().header("X-Caller", caller).put("/paths/method"))).isEqualTo("\"three-paths\";r=1");
    }

    @Test
    void allRoutesThatMatchApplyEachPolicyOnce() {
        assertThat(left(get("/paths/api/both/x"))).isEqualTo("\"three-paths\";r=2, \"nine-paths\";r=8");
        assertThat(left(get("/paths/api/hello"))).isEqualTo("\"three-paths\";r=1");
        assertThat(left(get("/paths/api/both/x"))).isEqualTo("\"three-paths\";r=0, \"nine-paths\";r=7");

        assertThat(left(get("/paths/api/both/x"))).isEqualTo("\"three-paths\";r=0, \"nine-paths\";r=7");
    }

    @Test
    void requestThatIsSentOnMeetsTheRoutesOfThatPathToo() {
        assertThat(left(get("/paths/forward"))).isEqualTo("\"three-paths\";r=2");
        assertThat(left(get("/paths/plain?again"))).isEqualTo("\"three-paths\";r=1");
    }

    private Response get(String path) {
        return given().header("X-Caller", caller).get(path);
    }

    private Response head(String path) {
        return given().header("X-Caller", caller).head(path);
    }

    private static String left(Response response) {
        return response.header("RateLimit").replaceAll(";t=\\d+", "");
    }

    @Path("/paths/api")
    public static class Api {
        @GET
        @Path("hello")
        public String hello() {
            return "hello";
        }

        @POST
        @Path("hello")
        public String post() {
            return "hello";
        }
    }

    @ApplicationScoped
    public static class Plain {
        void serve(@Observes Router router) {
            router.get("/paths/plain").handler(context -> context.end("plain"));
            router.get("/paths/forward").handler(context -> context.reroute("/paths/plain"));
        }
    }
}
