package io.quarkiverse.ratelimit.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.dev.DecisionFeed.LiveDecision;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

class DecisionFeedTest {

    @Test
    void pageShowsOnlyDecisionsAfterItWasOpened() {
        DecisionFeed live = new DecisionFeed();
        live.decided("early", Effect.EXEMPT, null);
        AssertSubscriber<List<LiveDecision>> browser = live.decisions().subscribe()
                .withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));

        live.decided("late", Effect.EXEMPT, null);

        List<LiveDecision> first = browser.awaitItems(1, Duration.ofSeconds(30)).getItems().get(0);
        assertThat(first).extracting(LiveDecision::policy).containsExactly("late");
        browser.cancel();
    }

    @Test
    void decisionsThatComeTooFastAreLeftOut() {
        DecisionFeed live = new DecisionFeed();
        AssertSubscriber<List<LiveDecision>> browser = live.decisions().subscribe()
                .withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));

        for (int i = 0; i < 10_000; i++) {
            live.decided("quotes", Effect.EXEMPT, null);
        }

        assertThat(browser.awaitItems(1, Duration.ofSeconds(30)).getItems().get(0)).hasSizeLessThanOrEqualTo(100);
        browser.cancel();
    }
}
