package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class PolicyModesTest {

    @Inject
    RedisDataSource redis;

    @Test
    void shadowPolicyCountsAndNeverDenies() {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(get("/modes/shadow"));
        }

        assertThat(redis.key().exists("rate-limit:{resource-shadow}:default:tb1")).isTrue();
    }

    @Test
    void shadowPolicyBesideAnEnforcedOneIsChargedOnlyWithIt() {
        for (int call = 1; call <= 3; call++) {
            assertThat(left(get("/modes/both"))).isEqualTo("\"enforced\";r=" + (3 - call));
        }
        byte[] watched = stored("rate-limit:{watch}:default:tb1");

        var denied = get("/modes/both");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("enforced");
        assertThat(stored("rate-limit:{watch}:default:tb1")).isEqualTo(watched).isNotEmpty();
    }

    @Test
    void usedUpShadowPolicyDoesNotStopOthersFromBeingCharged() {
        assertThat(left(get("/modes/beside-shadow"))).isEqualTo("\"besides\";r=2");
        byte[] usedUp = stored("rate-limit:{narrow-shadow}:default:tb1");

        assertThat(left(get("/modes/beside-shadow"))).isEqualTo("\"besides\";r=1");
        assertThat(stored("rate-limit:{narrow-shadow}:default:tb1")).isEqualTo(usedUp);
    }

    @Test
    void disabledPolicyNeitherCountsNorDenies() {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(get("/modes/disabled"));
        }

        assertThat(redis.key().exists("rate-limit:{disabled}:default:tb1")).isFalse();
    }

    private byte[] stored(String key) {
        return redis.value(byte[].class).get(key);
    }

    @Path("/modes")
    public static class Resource {
        @GET
        @Path("shadow")
        @RateLimited("resource-shadow")
        public String shadow() {
            return "shadow";
        }

        @GET
        @Path("both")
        @RateLimited("watch")
        @RateLimited("enforced")
        public String both() {
            return "both";
        }

        @GET
        @Path("beside-shadow")
        @RateLimited("narrow-shadow")
        @RateLimited("besides")
        public String besideShadow() {
            return "beside shadow";
        }

        @GET
        @Path("disabled")
        @RateLimited("disabled")
        public String disabled() {
            return "disabled";
        }
    }
}
