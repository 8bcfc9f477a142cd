package io.quarkiverse.ratelimit.runtime.devui;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.devui.LiveDecisions.Told;
import io.quarkiverse.ratelimit.runtime.devui.Viewer.Seen;
import io.quarkiverse.ratelimit.runtime.devui.Viewer.SeenDecision;
import io.quarkiverse.ratelimit.runtime.engine.Effect;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

class LiveDecisionsTest {

    @Test
    void nothingIsKeptForThoseWhoComeLater() {
        LiveDecisions live = new LiveDecisions();
        live.decided("early", Effect.EXEMPT, null);
        AssertSubscriber<Seen> browser = live.decisions().subscribe().withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));

        live.decided("late", Effect.EXEMPT, null);

        Seen first = browser.awaitItems(1, Duration.ofSeconds(30)).getItems().get(0);
        assertThat(first.decisions()).extracting(SeenDecision::policy).containsExactly("late");
        browser.cancel();
    }

    @Test
    void allAreCountedThoughNobodyLooks() {
        LiveDecisions live = new LiveDecisions();
        live.decided("early", Effect.EXEMPT, null);
        live.decided("late", Effect.EXEMPT, null);

        AssertSubscriber<String> card = live.decisionCount().subscribe().withSubscriber(AssertSubscriber.create(1));

        assertThat(card.awaitItems(1, Duration.ofSeconds(30)).getItems()).containsExactly("2");
        card.cancel();
    }

    @Test
    void whatComesTooFastIsLeftOutAndSaid() {
        Viewer viewer = new Viewer();

        for (int i = 0; i < 103; i++) {
            viewer.show(new Told(i, "quotes", "exempt", null));
        }

        assertThat(viewer.look()).matches(seen -> seen.decisions().size() == 100 && seen.leftOut() == 3);
        assertThat(viewer.look()).matches(seen -> seen.decisions().isEmpty() && seen.leftOut() == 0);
    }
}
