package io.quarkiverse.ratelimit.runtime.engine.call;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;

/** A request that a route and then a method decides shows the last decision of each policy. */
class OutcomeFollowedByTest {

    private static final Limit LIMIT = Limit.slidingLog(1, Duration.ofHours(1));

    @Test
    void aPolicyThatIsDecidedAgainIsShownOnce() {
        assertThat(shown(decision("route"), decision("route"))).containsExactly("route");
        assertThat(shown(decision("spare"), overflowing("method", "spare"))).containsExactly("method", "spare");
        assertThat(shown(overflowing("route", "spare"), overflowing("route", "spare"))).containsExactly("route", "spare");
    }

    @Test
    void chainsThatMeetInAnOverflowAreBothShown() {
        assertThat(shown(overflowing("route", "spare"), overflowing("method", "spare")))
                .containsExactly("route", "spare", "method", "spare");
        assertThat(shown(overflowing("route", "spare"), decision("spare"))).containsExactly("route", "spare", "spare");
    }

    private static List<String> shown(Decision ofRoute, Decision ofMethod) {
        return new Outcome(List.of(ofRoute)).followedBy(new Outcome(List.of(ofMethod))).decisions().stream()
                .flatMap(decision -> decision.shown().stream()).map(Decision::policy).toList();
    }

    private static Decision overflowing(String first, String payer) {
        return Decision.ofChain(List.of(decision(first, DenialReason.LIMIT_REACHED), decision(payer)));
    }

    private static Decision decision(String policy) {
        return decision(policy, null);
    }

    private static Decision decision(String policy, DenialReason reason) {
        return Decision.uncounted(policy(policy, LIMIT), "key", 1, Source.REDIS, reason);
    }
}
