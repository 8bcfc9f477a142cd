package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

@QuarkusTest
class SeveralPoliciesTest {

    @Test
    void whenOneDeniesNoneIsCharged() {
        Response allowed = get("/several");
        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"narrow\";q=1;w=3600, \"wide\";q=5;w=3600");
        assertThat(left(allowed)).isEqualTo("\"narrow\";r=0, \"wide\";r=4");

        Response denied = get("/several");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(left(denied)).isEqualTo("\"narrow\";r=0, \"wide\";r=4");
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("narrow");
        assertThat(denied.header("X-RateLimit-Limit")).isEqualTo("1");

        assertThat(left(get("/several/wide"))).isEqualTo("\"wide\";r=3");
    }

    @Test
    void ofLimitsWithAsManyLeftTheFirstByNameIsReported() {
        Response response = get("/several/even");

        assertThat(left(response)).isEqualTo("\"by\";r=2, \"at\";r=2");
        assertThat(response.header("X-RateLimit-Limit")).isEqualTo("3");
    }

    @Test
    void methodsPoliciesReplaceAllOfTheClass() {
        assertThat(left(get("/replacing"))).isEqualTo("\"outer\";r=2, \"inner\";r=1");
        assertThat(left(get("/replacing/inner"))).isEqualTo("\"inner\";r=0");
    }

    @Path("/several")
    public static class Resource {
        @GET
        @RateLimited("narrow")
        @RateLimited("wide")
        public String both() {
            return "both";
        }

        @GET
        @Path("even")
        @RateLimited(value = "by", cost = 2)
        @RateLimited("at")
        public String even() {
            return "even";
        }

        @GET
        @Path("wide")
        @RateLimited("wide")
        public String wide() {
            return "wide";
        }
    }

    @Path("/replacing")
    @RateLimited("outer")
    @RateLimited(value = "inner", cost = 2)
    public static class Replacing {
        @GET
        public String both() {
            return "both";
        }

        @GET
        @Path("inner")
        @RateLimited("inner")
        public String inner() {
            return "inner";
        }
    }
}
