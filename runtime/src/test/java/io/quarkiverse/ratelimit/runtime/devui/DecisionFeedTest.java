package io.quarkiverse.ratelimit.runtime.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed.LiveDecision;
import io.quarkiverse.ratelimit.runtime.devui.DecisionFeed.Update;
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
        List<LiveDecision> made = Collections.nCopies(103, new LiveDecision(0, "quotes", "exempt", null, null, null, null));

        assertThat(Update.of(made)).matches(update -> update.decisions().size() == 100 && update.dropped() == 3);
        assertThat(Update.of(made.subList(0, 100)))
                .matches(update -> update.decisions().size() == 100 && update.dropped() == 0);
    }
}
