package io.quarkiverse.ratelimit.test.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusDevModeTest;
import io.restassured.RestAssured;

class LiveReloadTest {

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClass(CountResource.class).addAsResource(new StringAsset("""
                    quarkus.redis.devservices.enabled=false
                    greeting=before
                    """), "application.properties"))
            .setLogRecordPredicate(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue());

    @Test
    void sameRedisIsKeptAndNothingIsWarnedOf() {
        String before = RestAssured.get("/count").asString();

        APP.modifyResourceFile("application.properties", configuration -> configuration.replace("before", "after"));

        assertThat(before).startsWith("before 1 redis://127.0.0.1:");
        assertThat(RestAssured.get("/count").asString()).isEqualTo(before.replace("before 1", "after 2"));
        assertThat(APP.getLogRecords()).map(new PatternFormatter("%p %s")::format).isEmpty();
    }

    @Path("/count")
    public static class CountResource {

        private final RedisDataSource redis;
        private final String greeting;
        private final String hosts;

        CountResource(RedisDataSource redis, @ConfigProperty(name = "greeting") String greeting,
                @ConfigProperty(name = "quarkus.redis.hosts") String hosts) {
            this.redis = redis;
            this.greeting = greeting;
            this.hosts = hosts;
        }

        @GET
        public String count() {
            return greeting + " " + redis.value(Long.class).incr("count") + " " + hosts;
        }
    }
}
