package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable;
import io.quarkiverse.ratelimit.runtime.policy.PlanTable.PlanSource;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class PlanReaderTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void planOverridesItsLimits() {
        PlanTable plans = plans("plan=claim:tier", "plans.gold.permits=50", "plans.silver.period=30s", "plans.bronze.burst=7",
                "plans.partner.unlimited=true");

        assertThat(plans.source()).isEqualTo(PlanSource.CLAIM);
        assertThat(plans.name()).isEqualTo("tier");
        assertThat(plans.inOrder()).containsExactly(
                plan("bronze", Limit.tokenBucket(7).refill(5, MINUTE)),
                plan("gold", Limit.tokenBucket(50).refill(50, MINUTE)),
                new Plan("partner", true, Map.of()),
                plan("silver", Limit.tokenBucket(5).refill(5, Duration.ofSeconds(30))));
    }

    @Test
    void planKeepsTheBurstOfThePolicy() {
        PlanTable plans = plans("burst=20", "refill=interval", "max-wait=3s", "plan=roles", "plans.gold.permits=10");

        assertThat(plans.inOrder()).containsExactly(
                plan("gold", Limit.tokenBucket(20).refillInterval(10, MINUTE).maxWait(Duration.ofSeconds(3))));
    }

    @Test
    void planOverridesNamedLimitsOneByOne() {
        PlanTable plans = Configured.with("""
                quarkus.rate-limit.policies.api.key=principal
                quarkus.rate-limit.policies.api.limits.day.algorithm=fixed-window
                quarkus.rate-limit.policies.api.limits.day.calendar=day
                quarkus.rate-limit.policies.api.limits.day.permits=100
                quarkus.rate-limit.policies.api.limits.minute.permits=10
                quarkus.rate-limit.policies.api.limits.minute.period=1m
                quarkus.rate-limit.policies.api.plan=bean:contract
                quarkus.rate-limit.policies.api.plans.gold.limits.day.permits=1000
                """.split("\n")).read().policies().get("api").plans();

        assertThat(plans.bean()).isEqualTo("contract");
        assertThat(plans.inOrder()).singleElement().satisfies(gold -> assertThat(gold.limits()).containsExactly(
                Map.entry("day", Limit.fixedWindow(1000, CalendarPeriod.DAY))));
    }

    @Test
    void rolesCountInTheGivenOrderTheOthersByName() {
        PlanTable plans = plans("plan=roles", "plan-order=silver, gold", "plans.gold.permits=3", "plans.silver.permits=2",
                "plans.basic.permits=1", "plans.zero.permits=4");

        assertThat(plans.inOrder()).extracting(Plan::name).containsExactly("silver", "gold", "basic", "zero");
    }

    @Test
    void beanNeedsNoConfiguredPlans() {
        assertThat(plans("plan=bean:contract"))
                .isEqualTo(new PlanTable(PlanSource.BEAN, "contract", Duration.ZERO, null, List.of()));
        assertThat(plans("plan=bean: contract ").bean()).isEqualTo("contract");
        assertThat(plans("plan=bean:contract", "plan-cache=30s").cache()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void policyWithoutPlansHasNone() {
        assertThat(plans()).isEqualTo(PlanTable.NONE);
    }

    private static Plan plan(String name, Limit limit) {
        return new Plan(name, false, Map.of(PolicyLimit.DEFAULT_NAME, limit));
    }

    private static PlanTable plans(String... lines) {
        return Configured.with(Stream.concat(Stream.of("permits=5", "period=1m", "key=principal"), Stream.of(lines))
                .map(line -> "quarkus.rate-limit.policies.api." + line).toArray(String[]::new)).read().policies().get("api")
                .plans();
    }
}
