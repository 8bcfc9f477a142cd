package io.quarkiverse.ratelimit.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.algorithm.Weighted;

/** Too many states are made fewer, and none is lost that is being changed. */
class StateMapTest {

    private static final StateKey ONE = new StateKey("policy", "one", ""), OTHER = new StateKey("policy", "other", "");
    private static final Weighted NEARLY_ALL = () -> StateMap.MAX_WEIGHT - 2, ALL = () -> StateMap.MAX_WEIGHT - 1;

    private final StateMap states = new StateMap();
    private final StatePart part = states.part(StateMap.indexOf(""));

    @Test
    void whatEndsSoonestMakesRoom() {
        keep(ONE, NEARLY_ALL, 2);
        keep(OTHER, "other", 3);
        keep(new StateKey("policy", "third", ""), "third", 1);

        assertThat(part.of(ONE)).isNotNull();
        assertThat(part.of(OTHER)).isNotNull();
        assertThat(states.size()).isEqualTo(2);
    }

    @Test
    void whatMadeRoomWhileItWasChangedIsKeptAllTheSame() {
        keep(ONE, NEARLY_ALL, 2);
        keep(OTHER, "other", 1);
        State other = part.of(OTHER);

        keep(ONE, ALL, 2);
        states.keep(part, OTHER, other, "changed", 3, 0);

        assertThat(states.stored(part.of(OTHER), 0)).isEqualTo("changed");
        assertThat(part.of(ONE)).as("what ends sooner now").isNull();
    }

    @Test
    void whatIsOverDoesNotMatter() {
        keep(ONE, "one", 5);

        assertThat(states.stored(part.of(ONE), 4)).isEqualTo("one");
        assertThat(states.stored(part.of(ONE), 5)).isNull();
    }

    @Test
    void whatIsForgottenMakesRoom() {
        keep(ONE, ALL, 10);
        part.forget(ONE);
        keep(ONE, NEARLY_ALL, 10);
        keep(OTHER, "other", 10);
        assertThat(states.size()).isEqualTo(2);

        states.forgetAll();
        keep(ONE, NEARLY_ALL, 10);
        keep(OTHER, "other", 10);
        assertThat(states.size()).isEqualTo(2);
    }

    @Test
    void partWithItsShareOnlyKeepsItsStatesWhileAnotherGrows() {
        keep(ONE, "one", 1);
        StatePart large = states.part(StateMap.indexOf("large"));
        assertThat(large).isNotSameAs(part);
        for (int i = 0; i < StateMap.MAX_WEIGHT + 1_000; i++) {
            states.keep(large, new StateKey("policy", "limit" + i, "large"), null, "large", 1_000 + i, 0);
        }

        assertThat(part.of(ONE)).isNotNull();
        assertThat(states.size()).isEqualTo(StateMap.MAX_WEIGHT);
    }

    private void keep(StateKey key, Object stored, long expiresAt) {
        states.keep(part, key, part.of(key), stored, expiresAt, 0);
    }
}
