package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.devservices.fixtures.Warnings;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusDevModeTest;
import io.restassured.RestAssured;

@Tag("slow")
class LocalRedisLiveReloadTest {

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClass(GreetingResource.class).addAsResource(new StringAsset("""
                    quarkus.redis.devservices.enabled=false
                    quarkus.rate-limit.policies.calls.permits=1000
                    quarkus.rate-limit.policies.calls.period=1h
                    greeting=before
                    """), "application.properties"))
            .setLogRecordPredicate(Warnings::include);

    @Test
    void sameRedisIsKeptAndNothingIsWarnedOf() {
        String before = RestAssured.get("/greeting").asString();

        APP.modifyResourceFile("application.properties", text -> text.replace("before", "after"));

        assertThat(before).startsWith("before, first before in redis://127.0.0.1:");
        assertThat(RestAssured.get("/greeting").asString()).isEqualTo(before.replace("before,", "after,"));
        Warnings.assertNone(APP.getLogRecords());
    }

    @Test
    void blockedKeyIsDeniedFromTheFirstCallOn() {
        assertThat(RestAssured.get("/greeting/allowed").asString()).isEqualTo("true");
        RestAssured.post("/greeting/block").then().statusCode(204);

        APP.modifyResourceFile("application.properties", text -> text.replace("before", "after"));

        assertThat(RestAssured.get("/greeting/allowed").asString()).isEqualTo("false");
    }

    @Path("/greeting")
    public static class GreetingResource {

        @RateLimitPolicy("calls")
        RateLimiter calls;

        private final RedisDataSource redis;
        private final String greeting;
        private final String hosts;

        GreetingResource(RedisDataSource redis, @ConfigProperty(name = "greeting") String greeting,
                @ConfigProperty(name = "quarkus.redis.hosts") String hosts) {
            this.redis = redis;
            this.greeting = greeting;
            this.hosts = hosts;
        }

        @GET
        public String greet() {
            redis.value(String.class).setnx("first", greeting);
            return greeting + ", first " + redis.value(String.class).get("first") + " in " + hosts;
        }

        @GET
        @Path("allowed")
        public boolean isAllowed() {
            return calls.forKey("alice").tryAcquire().allowed();
        }

        @POST
        @Path("block")
        public void block() {
            calls.forKey("alice").block(Duration.ofHours(1));
        }
    }
}
