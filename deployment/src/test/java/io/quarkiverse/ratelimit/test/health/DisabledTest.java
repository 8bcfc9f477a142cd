package io.quarkiverse.ratelimit.test.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

class DisabledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Readiness.application(1, 0).overrideConfigKey("quarkus.rate-limit.enabled", "false");

    @Test
    void checkReportsThatRateLimitsAreOff() {
        assertThat(Readiness.data()).isEqualTo(Map.of("rate-limits", "off"));
    }
}
