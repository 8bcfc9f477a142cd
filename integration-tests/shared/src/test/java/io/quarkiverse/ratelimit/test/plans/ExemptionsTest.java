package io.quarkiverse.ratelimit.test.plans;

import static io.quarkiverse.ratelimit.test.fixtures.Users.as;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;

/** Some callers are not limited: by their roles, or by their addresses. */
@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class ExemptionsTest {

    @Inject
    RateLimiters limiters;

    @Inject
    RedisDataSource redis;

    @Test
    void exemptRoleIsNeitherLimitedNorCounted() {
        limiters.get("exempt-role").forKey("anybody").reset();

        for (int call = 1; call <= 5; call++) {
            assertUnlimited(as("admin").get("/exempt/role"));
        }
        assertThat(as("user").get("/exempt/role").header("X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(get("/exempt/role").header("X-RateLimit-Remaining")).isEqualTo("1");
    }

    @Test
    void exemptRoleIsNotLimitedWhenTheOthersAre() {
        limiters.get("exempt-role").forKey("anybody").charge(3);

        assertThat(as("user").get("/exempt/role").statusCode()).isEqualTo(429);
        assertUnlimited(as("admin").get("/exempt/role"));
    }

    @Test
    void beanCallsOfAnExemptCallerAreNotLimited() {
        limiters.get("exempt-role").forKey("anybody").charge(3);

        assertThat(as("user").get("/exempt/bean").statusCode()).isEqualTo(429);
        assertThat(as("admin").get("/exempt/bean").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "203.0.113.0", "203.0.113.255", "2001:db8:7:1:2:3:4:5", "198.51.100.7", "::ffff:203.0.113.9" })
    void exemptAddressIsNeitherLimitedNorCounted(String address) {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(from(address, "/exempt/address"));
        }
        assertThat(redis.key().keys("*203.0.113*")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "203.0.112.255", "203.0.114.0", "2001:db8:8::1", "198.51.100.8", "127.0.0.1" })
    void otherAddressesAreLimited(String address) {
        for (int call = 1; call <= 3; call++) {
            assertThat(from(address, "/exempt/address").statusCode()).isEqualTo(200);
        }
        assertThat(from(address, "/exempt/address").statusCode()).isEqualTo(429);
    }

    @Test
    void exemptAddressCannotBeClaimed() {
        assertThat(from("203.0.113.1, 192.0.2.99", "/exempt/address").header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void addressInAHeaderThatDoesNotCountExemptsNobody() {
        assertThat(given().header("Forwarded", "for=203.0.113.1").get("/exempt/local").header("X-RateLimit-Remaining"))
                .isEqualTo("2");
        assertUnlimited(get("/exempt/local"));
    }

    @Test
    void limiterForTheCallerFindsTheSameAddress() {
        from("192.0.2.7", "/exempt/address");

        assertThat(from("9.9.9.9, 192.0.2.7", "/exempt/left").asString()).isEqualTo("2 ip=192.0.2.7");
        assertThat(from("192.0.2.7, 192.0.2.8", "/exempt/left").asString()).as("claims another address")
                .isEqualTo("3 ip=192.0.2.8");
        assertThat(from("203.0.113.9", "/exempt/left").asString()).isEqualTo("NOT_LIMITED");
        assertThat(from("203.0.113.9, 192.0.2.8", "/exempt/left").asString()).isEqualTo("3 ip=192.0.2.8");
    }

    @Test
    void otherPoliciesOfTheMethodLimitAllTheSame() {
        assertThat(from("203.0.113.9", "/exempt/both").header("RateLimit-Policy")).isEqualTo("\"exempt-nobody\";q=3;w=10800");
        assertThat(from("192.0.2.9", "/exempt/both").header("RateLimit-Policy")).contains("\"exempt-address\"")
                .contains("\"exempt-nobody\"");
    }

    private static Response from(String address, String path) {
        return given().header("X-Forwarded-For", address).get(path);
    }

    private static void assertUnlimited(Response response) {
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().asList()).noneMatch(header -> header.getName().toLowerCase().contains("ratelimit"));
    }

    @Path("/exempt")
    public static class Resource {

        @Inject
        Bean bean;

        @Inject
        @RateLimitPolicy("exempt-address")
        RateLimiter limiter;

        @GET
        @Path("left")
        public String left() {
            RateLimitDecision decision = limiter.forCaller().peek();
            return decision.source() == Source.NOT_LIMITED ? "NOT_LIMITED" : decision.remaining() + " " + decision.key();
        }

        @GET
        @Path("role")
        @RateLimited("exempt-role")
        public String role() {
            return "ok";
        }

        @GET
        @Path("address")
        @RateLimited("exempt-address")
        public String address() {
            return "ok";
        }

        @GET
        @Path("local")
        @RateLimited("exempt-local")
        public String local() {
            return "ok";
        }

        @GET
        @Path("both")
        @RateLimited("exempt-address")
        @RateLimited("exempt-nobody")
        public String both() {
            return "ok";
        }

        @GET
        @Path("bean")
        public String bean() {
            return bean.call();
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("exempt-role")
        String call() {
            return "called";
        }
    }
}
