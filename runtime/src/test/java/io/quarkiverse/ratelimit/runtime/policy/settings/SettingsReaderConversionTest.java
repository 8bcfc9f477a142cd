package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

/** SmallRye Config converts the values, and reports all that it cannot convert. */
class SettingsReaderConversionTest {

    private static final String ROOT = "quarkus.rate-limit.";

    @ParameterizedTest
    @CsvSource({ "store, disk", "timeout, soon", "timeout, 1x", "on-redis-failure, always", "replicas, three",
            "max-delayed, 1.5",
            "'headers', 'ratelimit,all'", "ipv6-prefix, /64", "proxy-hops, one", "unknown-properties, ignore",
            "policies.api.permits, many",
            "policies.api.permits, 99999999999999999999",
            "policies.api.period, a minute", "policies.api.algorithm, dripping", "policies.api.burst, 1.5",
            "policies.api.refill, eager", "policies.api.max-wait, long", "policies.api.calendar, quarter",
            "policies.api.zone, Berlin", "policies.api.zone, ''", "policies.api.lease-time, forever",
            "policies.api.counts, all",
            "policies.api.missing-key, guess", "policies.api.on-redis-failure, refuse", "policies.api.mode, false",
            "policies.api.plan-cache, long", "policies.api.denial-cache, x", "policies.api.prefetch, some",
            "policies.api.prefetch-time, x", "policies.api.warn-at, 80", "policies.api.warn-at, 0.8",
            "policies.api.warn-at, -5%", "policies.api.warn-at, 0%", "policies.api.warn-at, 101%",
            "policies.api.warn-at, 80.5%", "policies.api.warn-at, 80 %", "policies.api.warn-at, %",
            "policies.api.warn-at, abc", "policies.api.penalty.after, often", "policies.api.penalty.block, soon",
            "policies.api.limits.hour.permits, many", "policies.api.plans.gold.permits, more",
            "policies.api.plans.gold.limits.hour.period, x" })
    void valueIsReportedWithItsProperty(String property, String value) {
        assertThat(Configured.with(ROOT + property + "=" + value).problems()).singleElement().asString()
                .contains("The config property " + ROOT + property + " with the config value \"" + value + "\"");
    }

    @Test
    void allAreReportedTogetherBeforeOtherMistakes() {
        assertThat(Configured.with(ROOT + "timeout=soon", ROOT + "policies.api.permits=many", ROOT + "policies.api.burst=0",
                ROOT + "policies.api.limits.hour.zone=Mars", ROOT + "policies.api.warn-at=0.8",
                ROOT + "policies.shop.algorithm=dripping", ROOT + "timout=1s")
                .andVariable("QUARKUS_RATE_LIMIT_REPLICAS", "three").problems()).satisfiesExactlyInAnyOrder(
                        problem -> assertThat(problem).contains(ROOT + "timeout", "soon"),
                        problem -> assertThat(problem).contains(ROOT + "policies.api.permits", "many"),
                        problem -> assertThat(problem).contains(ROOT + "policies.api.limits.hour.zone", "Mars",
                                "Write it like Europe/Berlin"),
                        problem -> assertThat(problem).contains(ROOT + "policies.api.warn-at", "0.8",
                                "Write a whole number from 1% to 100%, such as 80%."),
                        problem -> assertThat(problem).contains(ROOT + "policies.shop.algorithm", "dripping", "token-bucket"),
                        problem -> assertThat(problem).contains(ROOT + "replicas", "three"));
    }

    /** An empty value of a property without a default is reported with the other mistakes. */
    @ParameterizedTest
    @ValueSource(strings = { "enabled", "store", "key-prefix", "timeout", "on-redis-failure", "replicas", "max-delayed",
            "headers",
            "ipv6-prefix", "proxy-hops", "policies.api.algorithm", "policies.api.refill", "policies.api.max-wait",
            "policies.api.lease-time", "policies.api.missing-key", "policies.api.mode", "policies.api.enabled",
            "policies.api.denial-cache", "policies.api.plans.gold.unlimited" })
    void emptyValueDoesNotReplaceADefault(String property) {
        assertThat(Configured.with(ROOT + property + "=").problems()).singleElement().asString()
                .contains("The config property " + ROOT + property + " is defined as the empty String");
    }

    @Test
    void expressionThatRefersToNothingDoesNotReplaceADefault() {
        assertThat(Configured.with(ROOT + "timeout=${acme.timeout}").problems()).singleElement().asString()
                .contains("acme.timeout", ROOT + "timeout");
    }

    @Test
    void emptyItemsOfListsAreIgnored() {
        Settings settings = Configured.with(ROOT + "headers=x-ratelimit,", ROOT + "policies.api.permits=1",
                ROOT + "policies.api.period=1m", ROOT + "policies.api.exempt-roles= staff ,,admin").read();

        assertThat(settings.headers()).hasSize(1);
        assertThat(settings.policies().get("api").exempt().roles()).containsExactlyInAnyOrder("staff", "admin");
    }
}
