package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;
import io.vertx.ext.web.Router;

/** A request that might be delayed ends before it waits when its decision is known at once. */
class DeniedAtOnceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Page.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.delayed.permits=1
                    quarkus.rate-limit.policies.delayed.period=1h
                    quarkus.rate-limit.policies.delayed.key=ip
                    quarkus.rate-limit.policies.delayed.max-wait=1ms
                    quarkus.rate-limit.policies.delayed.denial-cache=1m
                    quarkus.rate-limit.routes.page.paths=/page
                    quarkus.rate-limit.routes.page.policy=delayed
                    """)
            .setLogRecordPredicate(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
            .assertLogRecords(errors -> assertThat(errors).isEmpty());

    @Test
    void denialsOfTheCacheLogNoError() {
        given().get("/page").then().statusCode(200);
        for (int i = 0; i < 3; i++) {
            given().get("/page").then().statusCode(429);
        }
    }

    @ApplicationScoped
    public static class Page {

        void register(@Observes Router router) {
            router.get("/page").handler(routing -> routing.end("ok"));
        }
    }
}
