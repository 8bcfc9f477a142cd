package io.quarkiverse.ratelimit.test.routes;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.ext.web.Router;

/** A request that might be delayed ends before it waits when its decision is known at once. */
@QuarkusTest
class RouteDeniedAtOnceTest {

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue(),
            errors -> assertThat(errors).isEmpty());

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
