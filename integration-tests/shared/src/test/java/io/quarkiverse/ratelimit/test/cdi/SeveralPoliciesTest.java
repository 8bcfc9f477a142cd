package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertSucceeds;
import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Of several policies all must allow, none is charged when one denies, and each takes its own cost. */
@QuarkusTest
class SeveralPoliciesTest {

    @Inject
    Service service;

    @Test
    void denialByOnePolicyChargesNoOther() {
        assertAllows(2, service::first);
        assertAllows(2, service::second);
        for (int i = 0; i < 3; i++) {
            RateLimitDecision decision = catchThrowableOfType(RateLimitExceededException.class, service::first).decision();
            assertThat(decision.policy()).isEqualTo("each");
        }

        assertAllows(1, service::onlyAll);
        assertAllows(0, service::third);
    }

    @Test
    void denialNamesThePolicyWithTheLongestWait() {
        assertSucceeds(1, service::dear);

        RateLimitDecision decision = catchThrowableOfType(RateLimitExceededException.class, service::dear).decision();
        assertThat(decision.policy()).isEqualTo("ten");
        assertThat(decision.remaining()).isEqualTo(3);
    }

    @Test
    void costBeyondTheCapacityIsNeverAllowed() {
        RateLimitDecision decision = catchThrowableOfType(RateLimitExceededException.class, service::impossible).decision();

        assertThat(decision.neverAllowed()).isTrue();
    }

    @Test
    void shadowAndDisabledPoliciesDenyNothing() {
        assertUnlimited(service::shadowed);
        assertUnlimited(service::disabled);
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("each")
        @RateLimited("all")
        public void first() {
        }

        @RateLimited("all")
        @RateLimited("each")
        public void second() {
        }

        @RateLimited("all")
        @RateLimited("each")
        public void third() {
        }

        @RateLimited("all")
        public void onlyAll() {
        }

        @RateLimited(value = "ten", cost = 7)
        @RateLimited(value = "each", cost = 1)
        public void dear() {
        }

        @RateLimited(value = "ten", cost = 11)
        public void impossible() {
        }

        @RateLimited("shadow")
        public void shadowed() {
        }

        @RateLimited("off")
        public void disabled() {
        }
    }
}
