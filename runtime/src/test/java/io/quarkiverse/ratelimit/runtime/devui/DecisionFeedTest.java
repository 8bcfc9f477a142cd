package io.quarkiverse.ratelimit.runtime.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed.LiveDecision;
import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed.Update;
import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed.Viewer;
import io.quarkiverse.ratelimit.runtime.engine.events.DecisionObserver.Effect;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

class DecisionFeedTest {

    @Test
    void pageShowsOnlyDecisionsAfterItWasOpened() {
        DecisionFeed live = new DecisionFeed();
        live.decided("early", Effect.EXEMPT, null);
        AssertSubscriber<Update> browser = live.decisions().subscribe().withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));

        live.decided("late", Effect.EXEMPT, null);

        Update first = browser.awaitItems(1, Duration.ofSeconds(30)).getItems().get(0);
        assertThat(first.decisions()).extracting(LiveDecision::policy).containsExactly("late");
        browser.cancel();
    }

    @Test
    void decisionsAreCountedWithoutAPage() {
        DecisionFeed live = new DecisionFeed();
        live.decided("early", Effect.EXEMPT, null);
        live.decided("late", Effect.EXEMPT, null);

        AssertSubscriber<String> card = live.decisionCount().subscribe().withSubscriber(AssertSubscriber.create(1));

        assertThat(card.awaitItems(1, Duration.ofSeconds(30)).getItems()).containsExactly("2");
        card.cancel();
    }

    @Test
    void decisionsThatComeTooFastAreDroppedAndCounted() {
        Viewer viewer = new Viewer();

        for (int i = 0; i < 103; i++) {
            viewer.show(new LiveDecision(i, "quotes", "exempt", null, null, null, null));
        }

        assertThat(viewer.drain()).matches(update -> update.decisions().size() == 100 && update.dropped() == 3);
        assertThat(viewer.drain()).matches(update -> update.decisions().isEmpty() && update.dropped() == 0);
    }
}
