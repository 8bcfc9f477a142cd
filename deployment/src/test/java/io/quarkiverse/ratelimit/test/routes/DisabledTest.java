package io.quarkiverse.ratelimit.test.routes;

import static io.quarkiverse.ratelimit.test.routes.Routes.policy;
import static io.quarkiverse.ratelimit.test.routes.Routes.route;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

class DisabledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Routes.class, Api.class))
            .withConfiguration("quarkus.rate-limit.enabled=false\n" + policy("one", 1, "global") + route("all", "/*", "one"));

    @Test
    void nothingIsLimited() {
        for (int call = 0; call < 3; call++) {
            Response response = given().get("/api");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.header("RateLimit")).isNull();
        }
    }

    @Path("/api")
    public static class Api {
        @GET
        public String api() {
            return "done";
        }
    }
}
