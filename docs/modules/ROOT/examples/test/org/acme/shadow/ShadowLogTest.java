package org.acme.shadow;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.acme.ExampleProfile;
import org.acme.FreshLimits;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The log shows the calls that a shadow policy would have denied. */
@QuarkusTest
@TestProfile(ExampleProfile.InProduction.class)
class ShadowLogTest extends FreshLimits {

    @Test
    void callsThatWouldHaveBeenDeniedAreLogged() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {

            @Override
            public void publish(LogRecord entry) {
                logged.add(((ExtLogRecord) entry).getFormattedMessage());
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        Logger logger = Logger.getLogger("io.quarkiverse.ratelimit");
        logger.addHandler(handler);
        try {
            for (int call = 1; call <= 4; call++) {
                when().get("/trial").then().statusCode(200);
            }
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(logged).hasSize(2).containsOnly("Policy trial would deny ip=127.0.0.1: limit reached");
    }
}
