package io.quarkiverse.ratelimit.test.routes;

import static io.quarkiverse.ratelimit.test.routes.Routes.policy;
import static io.quarkiverse.ratelimit.test.routes.Routes.route;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;
import io.vertx.ext.web.Router;

/** Requests to configured paths are limited, whatever serves them. */
class PathsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Api.class, Plain.class)
                    .addAsResource(new StringAsset("text"), "META-INF/resources/static/page.txt"))
            .overrideRuntimeConfigKey("quarkus.rate-limit.routes.writing.methods", "post, PUT")
            .overrideRuntimeConfigKey("quarkus.rate-limit.routes.reading.methods", "GET")
            .withConfiguration(policy("three", 3, "header:X-Caller") + policy("nine", 9, "header:X-Caller")
                    + route("api", "/api/*,static/*", "three") + route("plain", "/plain", "three")
                    + route("both", "/api/both/*", "nine") + route("again", "/api/both/*", "three")
                    + route("inner", "/inner/*/end", "three")
                    + route("writing", "/method", "three") + route("reading", "/reading", "three"));

    private String caller;

    @BeforeEach
    void freshCaller() {
        caller = UUID.randomUUID().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/api/hello", "/api/unknown", "/static/page.txt", "/plain", "/inner/one/end" })
    void fourthRequestIsDenied(String path) {
        for (int left = 2; left >= 0; left--) {
            Response response = get(path);
            assertThat(response.statusCode()).isNotEqualTo(429);
            assertThat(left(response)).isEqualTo("\"three\";r=" + left);
        }

        Response denied = get(path);

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(denied.header("Cache-Control")).isEqualTo("no-store");
        assertThat(Long.parseLong(denied.header("Retry-After"))).isBetween(1100L, 1200L);
        assertThat(denied.header("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"three\";q=3;w=3600");
        assertThat(denied.jsonPath().getList("violated-policies")).isEqualTo(List.of("three"));
        assertThat(denied.jsonPath().getInt("status")).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = { "/other", "/apis", "/plain/deeper", "/inner/one/two/end", "/inner/end" })
    void otherPathsAreNot(String path) {
        assertThat(get(path).headers().hasHeaderWithName("RateLimit")).isFalse();
    }

    @Test
    void headHasNoBodyAndCountsLikeGet() {
        assertThat(left(head("/api/hello"))).isEqualTo("\"three\";r=2");
        assertThat(left(head("/reading"))).isEqualTo("\"three\";r=1");
        get("/api/hello");

        Response denied = head("/api/hello");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isNotNull();
    }

    @Test
    void onlyTheNamedMethodsAreLimited() {
        assertThat(get("/method").header("RateLimit")).isNull();
        assertThat(left(given().header("X-Caller", caller).post("/method"))).isEqualTo("\"three\";r=2");
        assertThat(left(given().header("X-Caller", caller).put("/method"))).isEqualTo("\"three\";r=1");
    }

    @Test
    void allRoutesThatMatchApplyEachPolicyOnce() {
        assertThat(left(get("/api/both/x"))).isEqualTo("\"three\";r=2, \"nine\";r=8");
        assertThat(left(get("/api/hello"))).isEqualTo("\"three\";r=1");
        assertThat(left(get("/api/both/x"))).isEqualTo("\"three\";r=0, \"nine\";r=7");

        assertThat(left(get("/api/both/x"))).isEqualTo("\"three\";r=0, \"nine\";r=7");
    }

    @Test
    void requestThatIsSentOnMeetsTheRoutesOfThatPathToo() {
        assertThat(left(get("/forward"))).isEqualTo("\"three\";r=2");
        assertThat(left(get("/plain?again"))).isEqualTo("\"three\";r=1");
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

    @Path("/api")
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
            router.get("/plain").handler(context -> context.end("plain"));
            router.get("/forward").handler(context -> context.reroute("/plain"));
        }
    }
}
