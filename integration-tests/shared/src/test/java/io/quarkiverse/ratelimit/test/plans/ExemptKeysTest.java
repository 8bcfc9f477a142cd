package io.quarkiverse.ratelimit.test.plans;

import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.fixtures.StateKeys;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Some values of a key are not limited; the configuration need not contain them. */
@QuarkusTest
class ExemptKeysTest {

    private static final String DIGEST = "85dbe15d75ef9308c7ae0f33c7a324cc6f4bf519a2ed2f3027bd33c140a4f9aa";

    @Inject
    RateLimiters limiters;

    @Inject
    RedisDataSource redis;

    @Inject
    Service service;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
    }

    @ParameterizedTest
    @ValueSource(strings = { "partner-1", "PARTNER-1", "secret-key", "Secret-Key" })
    void exemptKeyIsNeitherLimitedNorCounted(String key) {
        for (String path : List.of("/exempt-key", "/exempt-key/route")) {
            for (int call = 1; call <= 3; call++) {
                Response response = send(path, key);
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.headers().asList()).noneMatch(header -> header.getName().contains("RateLimit"));
            }
        }
        assertThat(StateKeys.of(redis, "exempt-key")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "partner-2", "partner-", "secret", "sha256:" + DIGEST, DIGEST, "partner-1,secret-key" })
    void otherKeysAreLimited(String key) {
        assertThat(send("/exempt-key", key).statusCode()).isEqualTo(200);
        assertThat(send("/exempt-key", key).statusCode()).isEqualTo(429);
        assertThat(send("/exempt-key/route", key).statusCode()).isEqualTo(429);
    }

    @Test
    void callerWithoutAKeyIsLimited() {
        assertThat(get("/exempt-key").statusCode()).isEqualTo(200);
        assertThat(get("/exempt-key").statusCode()).isEqualTo(429);
    }

    @Test
    void exemptArgumentIsNotLimited() {
        for (int call = 1; call <= 3; call++) {
            service.call("robot");
        }
        service.call("alice");
        assertThatThrownBy(() -> service.call("alice")).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void codeDoesNotLimitExemptKeysEither() {
        RateLimiter exempt = limiters.get("exempt-key").forKey(" Secret-Key");

        for (int call = 1; call <= 3; call++) {
            assertThat(exempt.tryAcquire()).returns(true, RateLimitDecision::allowed)
                    .returns(RateLimitDecision.Source.NOT_LIMITED, RateLimitDecision::source);
            RateLimitReservation reservation = exempt.reserve(1);
            assertThat(reservation.decision().source()).isEqualTo(RateLimitDecision.Source.NOT_LIMITED);
            reservation.settle(1);
        }
        assertThat(exempt.peek().source()).isEqualTo(RateLimitDecision.Source.NOT_LIMITED);
        assertThat(limiters.get("exempt-key").forKey("code").tryAcquire().source()).isEqualTo(RateLimitDecision.Source.REDIS);
    }

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.9", "::ffff:127.0.0.9", "203.0.113.7", "2001:db8::9", "2001:db8::/64",
            "2001:db8:7:1::1" })
    void exemptAddressIsNotLimitedInCode(String address) {
        RateLimiter exempt = limiters.get("exempt-key-address").forKey(address);
        exempt.block(Duration.ofMinutes(1));

        for (int call = 1; call <= 2; call++) {
            assertThat(exempt.tryAcquire()).returns(true, RateLimitDecision::allowed)
                    .returns(RateLimitDecision.Source.NOT_LIMITED, RateLimitDecision::source);
        }
        assertThat(exempt.peek().source()).isEqualTo(RateLimitDecision.Source.NOT_LIMITED);
        exempt.unblock();
        assertThat(StateKeys.of(redis, "exempt-key-address")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "203.0.113.8", "2001:db8:0:1::7", "2001:db8:8::1", "128.0.0.1", "alice", "10.0.0.1" })
    void otherAddressIsLimitedInCode(String address) {
        assertThat(limiters.get("exempt-key-address").forKey(address).tryAcquire().source())
                .isEqualTo(RateLimitDecision.Source.REDIS);
    }

    @Test
    void exemptAddressIsNotLimitedInRequestsWhileItIsBlocked() {
        limiters.get("exempt-key-address").forKey("127.0.0.1").block(Duration.ofMinutes(1));

        for (String path : List.of("/exempt-key/address", "/exempt-key/left")) {
            for (int call = 1; call <= 2; call++) {
                assertThat(get(path).statusCode()).isEqualTo(200);
            }
        }
        assertThat(get("/exempt-key/left").asString()).isEqualTo("NOT_LIMITED");
        limiters.get("exempt-key-address").forKey("127.0.0.1").unblock();
    }

    private static Response send(String path, String key) {
        return given().header("X-Api-Key", key).get(path);
    }

    @Path("/exempt-key")
    public static class Resource {

        @GET
        @RateLimited("exempt-key")
        public String get() {
            return "ok";
        }

        @GET
        @Path("address")
        @RateLimited("exempt-key-address")
        public String address() {
            return "ok";
        }

        @GET
        @Path("left")
        public String left() {
            return limiters.get("exempt-key-address").forCaller().tryAcquire().source().name();
        }

        @Inject
        RateLimiters limiters;

        @GET
        @Path("route")
        public String route() {
            return "ok";
        }
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("exempt-argument")
        void call(@RateLimitKey String user) {
        }
    }
}
