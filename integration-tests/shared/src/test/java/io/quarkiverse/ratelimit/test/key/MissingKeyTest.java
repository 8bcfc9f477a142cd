package io.quarkiverse.ratelimit.test.key;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class MissingKeyTest {

    @Inject
    RedisDataSource redis;

    @ParameterizedTest
    @ValueSource(strings = { "header", "principal" })
    void callersWithoutKeyAreCountedByAddress(String kind) {
        for (String policy : new String[] { kind + "-ip", kind + "-default" }) {
            assertThat(left(get("/missing/" + policy))).isEqualTo("\"" + policy + "\";r=2");
            assertThat(redis.key().keys("rate-limit:*:" + policy + ":default:tb1"))
                    .containsExactly("rate-limit:{ip=127.0.0.1}:" + policy + ":default:tb1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "header", "principal" })
    void callersWithoutKeyShareOneCount(String kind) {
        String policy = kind + "-shared";

        assertThat(left(get("/missing/" + policy))).isEqualTo("\"" + policy + "\";r=2");
        assertThat(redis.key().keys("rate-limit:*:" + policy + ":default:tb1")).singleElement().asString()
                .startsWith("rate-limit:{" + kind).contains("!");
    }

    @ParameterizedTest
    @ValueSource(strings = { "header", "principal" })
    void callersWithoutKeyAreDenied(String kind) {
        var denied = get("/missing/" + kind + "-deny");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().hasHeaderWithName("Retry-After")).isFalse();
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly(kind + "-deny");
        assertThat(redis.key().keys("rate-limit:*:" + kind + "-deny:default:tb1")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "header", "principal" })
    void callersWithoutKeyAreNotLimited(String kind) {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(get("/missing/" + kind + "-skip"));
        }
    }

    @Test
    void callersWithKeyHaveTheirOwnCount() {
        assertThat(left(given().header("X-Key", "a").get("/missing/header-skip"))).isEqualTo("\"header-skip\";r=2");
        assertThat(left(given().header("X-Key", "b").get("/missing/header-skip"))).isEqualTo("\"header-skip\";r=2");
        assertThat(left(given().header("X-Key", "a").get("/missing/header-skip"))).isEqualTo("\"header-skip\";r=1");
    }

    @Test
    void emptyHeaderIsMissing() {
        assertThat(given().header("X-Key", "").get("/missing/header-deny").statusCode()).isEqualTo(429);
    }

    @Path("/missing")
    public static class Resource {
        @GET
        @Path("header-default")
        @RateLimited("header-default")
        public String headerDefault() {
            return "ok";
        }

        @GET
        @Path("header-ip")
        @RateLimited("header-ip")
        public String headerIp() {
            return "ok";
        }

        @GET
        @Path("header-shared")
        @RateLimited("header-shared")
        public String headerShared() {
            return "ok";
        }

        @GET
        @Path("header-deny")
        @RateLimited("header-deny")
        public String headerDeny() {
            return "ok";
        }

        @GET
        @Path("header-skip")
        @RateLimited("header-skip")
        public String headerSkip() {
            return "ok";
        }

        @GET
        @Path("principal-default")
        @RateLimited("principal-default")
        public String principalDefault() {
            return "ok";
        }

        @GET
        @Path("principal-ip")
        @RateLimited("principal-ip")
        public String principalIp() {
            return "ok";
        }

        @GET
        @Path("principal-shared")
        @RateLimited("principal-shared")
        public String principalShared() {
            return "ok";
        }

        @GET
        @Path("principal-deny")
        @RateLimited("principal-deny")
        public String principalDeny() {
            return "ok";
        }

        @GET
        @Path("principal-skip")
        @RateLimited("principal-skip")
        public String principalSkip() {
            return "ok";
        }
    }
}
