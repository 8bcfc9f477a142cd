package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** Where rate limits are off, code is admitted without Redis. */
class DisabledTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .overrideConfigKey("quarkus.devservices.enabled", "false")
            .withConfiguration("""
                    quarkus.rate-limit.enabled=false
                    quarkus.rate-limit.policies.one.permits=1
                    quarkus.rate-limit.policies.one.period=1h
                    """);

    @Inject
    RateLimiters limiters;

    @Test
    void configuredAndMadeLimitersAdmitEverything() {
        for (int call = 0; call < 3; call++) {
            assertThat(limiters.get("one").acquireAndAwait("a").allowed()).isTrue();
            assertThat(limiters.of("made", Limit.concurrency(1)).reserveAndAwait("a", 1).decision().allowed()).isTrue();
        }
        limiters.get("one").refundAndAwait(limiters.get("one").acquireAndAwait("a"));
        limiters.get("one").resetAndAwait("a");
    }

    @Test
    void sourceSaysThatNothingIsLimited() {
        assertThat(limiters.get("one").acquireAndAwait("a").source()).isEqualTo(Source.NOT_LIMITED);
        assertThat(limiters.get("one").peekAndAwait("a").source()).isEqualTo(Source.NOT_LIMITED);
        assertThat(limiters.get("one").reserveAndAwait("a", 1).decision().source()).isEqualTo(Source.NOT_LIMITED);
    }

    @Test
    void nothingCanBeOverridden() {
        assertThatThrownBy(() -> limiters.overrideAndAwait("one", Limit.tokenBucket(5), Duration.ofHours(1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("off");
        limiters.removeOverrideAndAwait("one");
    }
}
