package io.quarkiverse.ratelimit.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;

class RateLimitPlanTest {

    private static final Limit FIVE = Limit.tokenBucket(5);

    @Test
    void planHasWhatItsFactoryWasGiven() {
        assertThat(RateLimitPlan.named("gold")).returns("gold", plan -> plan.name().orElseThrow())
                .returns(Map.of(), RateLimitPlan::limits).returns(false, RateLimitPlan::isUnlimited);
        assertThat(RateLimitPlan.of(FIVE)).returns(FIVE, plan -> plan.limit().orElseThrow())
                .returns(true, plan -> plan.name().isEmpty()).returns(false, RateLimitPlan::isUnlimited);
        assertThat(RateLimitPlan.of(Map.of("day", FIVE))).returns(Map.of("day", FIVE), RateLimitPlan::limits)
                .returns(true, plan -> plan.limit().isEmpty());
        assertThat(RateLimitPlan.unlimited().isUnlimited()).isTrue();
    }

    @Test
    void equalPlansAreEqual() {
        assertThat(RateLimitPlan.of(FIVE)).isEqualTo(RateLimitPlan.of(Limit.tokenBucket(5)))
                .hasSameHashCodeAs(RateLimitPlan.of(Limit.tokenBucket(5)))
                .isNotEqualTo(RateLimitPlan.of(Map.of("default", FIVE))).isNotEqualTo(RateLimitPlan.unlimited());
        assertThat(RateLimitPlan.named("gold")).isEqualTo(RateLimitPlan.named("gold"))
                .isNotEqualTo(RateLimitPlan.named("silver")).hasToString("RateLimitPlan[name=gold]");
    }

    @Test
    void whatIsMissingIsNamed() {
        Map<String, Limit> nothing = new HashMap<>();
        nothing.put("day", null);

        assertThatIllegalArgumentException().isThrownBy(() -> RateLimitPlan.named(null))
                .withMessage("name is required, but is null");
        assertThatIllegalArgumentException().isThrownBy(() -> RateLimitPlan.of((Limit) null))
                .withMessage("limit is required, but is null");
        assertThatIllegalArgumentException().isThrownBy(() -> RateLimitPlan.of(nothing))
                .withMessage("limit day is required, but is null");
        assertThatIllegalArgumentException().isThrownBy(() -> RateLimitPlan.of(Map.of()))
                .withMessage("limits must contain at least one limit, but is empty");
    }

    @Test
    void mapOfThePlanDoesNotChange() {
        Map<String, Limit> limits = new HashMap<>(Map.of("day", FIVE));
        RateLimitPlan plan = RateLimitPlan.of(limits);
        limits.clear();

        assertThat(plan.limits()).containsOnlyKeys("day");
    }
}
