package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class StoredKeysTest {

    @Inject
    RedisDataSource redis;

    @Test
    void keyNamesCallerPolicyAndLimitAndExpires() {
        get("/stored/address");

        assertThat(keys("stored-address")).containsExactly("app:limits:{ip=127.0.0.1}:stored-address:default:tb1");
        assertThat(redis.key().pttl("app:limits:{ip=127.0.0.1}:stored-address:default:tb1")).isBetween(1_195_000L, 1_201_000L);
    }

    @Test
    void deniedCallLeavesTimeToLiveAlone() {
        String key = "app:limits:{stored-all}:default:tb1";
        for (int call = 1; call <= 3; call++) {
            get("/stored/all");
        }
        byte[] stored = redis.value(byte[].class).get(key);

        assertThat(get("/stored/all/also").statusCode()).isEqualTo(429);

        assertThat(redis.value(byte[].class).get(key)).isEqualTo(stored);
        assertThat(redis.key().pttl(key)).isBetween(3_590_000L, 3_601_000L);
    }

    @Test
    void everyLimitHasItsKey() {
        get("/stored/two");

        assertThat(keys("stored-two")).containsExactlyInAnyOrder("app:limits:{stored-two}:hour:tb1",
                "app:limits:{stored-two}:day:tb1");
    }

    @Test
    void secretsAppearNowhere() {
        given().header("X-Api-Key", "s3cr3t").get("/stored/secret");
        given().header("X-Api-Key", "s3cr3t").get("/stored/pair");

        assertThat(keys("stored-secret")).singleElement().asString().startsWith("app:limits:{header:x-api-key*")
                .endsWith("}:stored-secret:default:tb1");
        assertThat(keys("")).noneMatch(key -> key.contains("s3cr3t"));
    }

    @Test
    void everyMethodHasACountOfItsOwn() {
        assertThat(left(get("/stored/method"))).isEqualTo("\"stored-method\";r=2");
        assertThat(left(get("/stored/method/other"))).isEqualTo("\"stored-method\";r=2");
        assertThat(left(get("/stored/method"))).isEqualTo("\"stored-method\";r=1");
    }

    @Test
    void everyCombinationOfPartsHasACountOfItsOwn() {
        assertThat(left(given().header("X-Api-Key", "a").get("/stored/pair"))).isEqualTo("\"stored-pair\";r=2");
        assertThat(left(given().header("X-Api-Key", "b").get("/stored/pair"))).isEqualTo("\"stored-pair\";r=2");
        assertThat(left(given().header("X-Api-Key", "a").get("/stored/pair/other"))).isEqualTo("\"stored-pair\";r=2");
        assertThat(left(given().header("x-api-key", "a").header("X-Api-Key", "b").get("/stored/pair")))
                .isEqualTo("\"stored-pair\";r=1");
    }

    private List<String> keys(String policy) {
        return redis.key().keys("*" + policy + "*");
    }

    @Path("/stored")
    public static class Resource {
        @GET
        @Path("address")
        @RateLimited("stored-address")
        public String address() {
            return "ok";
        }

        @GET
        @Path("secret")
        @RateLimited("stored-secret")
        public String secret() {
            return "ok";
        }

        @GET
        @Path("all")
        @RateLimited("stored-all")
        public String all() {
            return "ok";
        }

        @GET
        @Path("all/also")
        @RateLimited("stored-all")
        public String allAlso() {
            return "ok";
        }

        @GET
        @Path("method")
        @RateLimited("stored-method")
        public String method() {
            return "ok";
        }

        @GET
        @Path("method/other")
        @RateLimited("stored-method")
        public String methodOther() {
            return "ok";
        }

        @GET
        @Path("pair")
        @RateLimited("stored-pair")
        public String pair() {
            return "ok";
        }

        @GET
        @Path("pair/other")
        @RateLimited("stored-pair")
        public String pairOther() {
            return "ok";
        }

        @GET
        @Path("two")
        @RateLimited("stored-two")
        public String two() {
            return "ok";
        }
    }
}
