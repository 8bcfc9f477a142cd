package org.acme.observe;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

/** Decisions are seen from outside. */
@QuarkusTest
class ObserveTest extends FreshLimits {

    @Inject
    Abuse abuse;

    @Test
    void meterAndEventTellOfThreeAdmittedCallsAndARefusedOne() throws IOException {
        for (int call = 1; call <= 4; call++) {
            when().get("/downloads").then().statusCode(call <= 3 ? 200 : 429);
        }

        String metrics = when().get("/q/metrics").then().statusCode(200).extract().asString();
        assertThat(metrics.lines().filter(line -> line.contains("policy=\"downloads\"")).sorted())
                .containsExactlyElementsOf(Files.readAllLines(Path.of("modules/ROOT/examples/answers/metrics.txt")));
        await().untilAsserted(() -> assertThat(abuse.reports())
                .filteredOn(report -> report.startsWith("downloads: ")).containsExactly("downloads: ip=127.0.0.1"));
    }
}
