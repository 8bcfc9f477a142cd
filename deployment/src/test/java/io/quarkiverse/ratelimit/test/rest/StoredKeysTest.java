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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

class StoredKeysTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Resource.class))
            .withConfiguration(Limits.threeAnHour("address", "ip") + Limits.threeAnHour("secret", "header:X-Api-Key")
                    + Limits.threeAnHour("all", "global") + Limits.threeAnHour("method", "method")
                    + Limits.threeAnHour("pair", "method,header:X-Api-Key") + """
                            quarkus.rate-limit.key-prefix=app:limits
                            quarkus.rate-limit.policies.two.key=global
                            quarkus.rate-limit.policies.two.limits.hour.permits=3
                            quarkus.rate-limit.policies.two.limits.hour.period=1h
                            quarkus.rate-limit.policies.two.limits.day.permits=9
                            quarkus.rate-limit.policies.two.limits.day.period=1d
                            """);

    @Inject
    RedisDataSource redis;

    @Test
    void keyNamesCallerPolicyAndLimitAndExpires() {
        get("/stored/address");

        assertThat(keys("address")).containsExactly("app:limits:{ip=127.0.0.1}:address:default");
        assertThat(redis.key().pttl("app:limits:{ip=127.0.0.1}:address:default")).isBetween(1_195_000L, 1_201_000L);
    }

    @Test
    void deniedCallLeavesTimeToLiveAlone() {
        String key = "app:limits:{all}:default";
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

        assertThat(keys("two")).containsExactlyInAnyOrder("app:limits:{two}:hour", "app:limits:{two}:day");
    }

    @Test
    void secretsAppearNowhere() {
        given().header("X-Api-Key", "s3cr3t").get("/stored/secret");
        given().header("X-Api-Key", "s3cr3t").get("/stored/pair");

        assertThat(keys("secret")).singleElement().asString().startsWith("app:limits:{header:x-api-key*")
                .endsWith("}:secret:default");
        assertThat(keys("")).noneMatch(key -> key.contains("s3cr3t"));
    }

    @Test
    void everyMethodHasACountOfItsOwn() {
        assertThat(left(get("/stored/method"))).isEqualTo("\"method\";r=2");
        assertThat(left(get("/stored/method/other"))).isEqualTo("\"method\";r=2");
        assertThat(left(get("/stored/method"))).isEqualTo("\"method\";r=1");
    }

    @Test
    void everyCombinationOfPartsHasACountOfItsOwn() {
        assertThat(left(given().header("X-Api-Key", "a").get("/stored/pair"))).isEqualTo("\"pair\";r=2");
        assertThat(left(given().header("X-Api-Key", "b").get("/stored/pair"))).isEqualTo("\"pair\";r=2");
        assertThat(left(given().header("X-Api-Key", "a").get("/stored/pair/other"))).isEqualTo("\"pair\";r=2");
        assertThat(left(given().header("x-api-key", "a").header("X-Api-Key", "b").get("/stored/pair")))
                .isEqualTo("\"pair\";r=1");
    }

    private List<String> keys(String policy) {
        return redis.key().keys("*" + policy + "*");
    }

    @Path("/stored")
    public static class Resource {
        @GET
        @Path("address")
        @RateLimited("address")
        public String address() {
            return "ok";
        }

        @GET
        @Path("secret")
        @RateLimited("secret")
        public String secret() {
            return "ok";
        }

        @GET
        @Path("all")
        @RateLimited("all")
        public String all() {
            return "ok";
        }

        @GET
        @Path("all/also")
        @RateLimited("all")
        public String allAlso() {
            return "ok";
        }

        @GET
        @Path("method")
        @RateLimited("method")
        public String method() {
            return "ok";
        }

        @GET
        @Path("method/other")
        @RateLimited("method")
        public String methodOther() {
            return "ok";
        }

        @GET
        @Path("pair")
        @RateLimited("pair")
        public String pair() {
            return "ok";
        }

        @GET
        @Path("pair/other")
        @RateLimited("pair")
        public String pairOther() {
            return "ok";
        }

        @GET
        @Path("two")
        @RateLimited("two")
        public String two() {
            return "ok";
        }
    }
}
