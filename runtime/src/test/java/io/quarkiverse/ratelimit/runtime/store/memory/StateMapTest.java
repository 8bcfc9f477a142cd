package io.quarkiverse.ratelimit.runtime.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult.Weighted;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.memory.StateMap.State;

/** The map evicts states when there are too many, and loses none that a thread is changing. */
class StateMapTest {

    private static final LimitKey ONE = new LimitKey("policy", "one", ""), OTHER = new LimitKey("policy", "other", "");
    private static final Weighted NEARLY_ALL = () -> StateMap.MAX_WEIGHT - 2, ALL = () -> StateMap.MAX_WEIGHT - 1;

    private final StateMap states = new StateMap();

    @Test
    void whatEndsSoonestMakesRoom() {
        keep(ONE, NEARLY_ALL, 2);
        keep(OTHER, "other", 3);
        keep(new LimitKey("policy", "third", ""), "third", 1);

        assertThat(states.size()).isEqualTo(2);
        assertThat(states.of(ONE).stored).isNotNull();
        assertThat(states.of(OTHER).stored).isNotNull();
    }

    @Test
    void stateEvictedBeforeItIsLockedIsRemoved() {
        keep(OTHER, "other", 1);
        State other = states.of(OTHER);

        keep(ONE, ALL, 2);

        assertThat(other.removed).isTrue();
        assertThat(states.of(OTHER)).isNotSameAs(other);
    }

    @Test
    void whatIsOverDoesNotMatter() {
        keep(ONE, "one", 5);

        assertThat(states.stored(states.of(ONE), 4)).isEqualTo("one");
        assertThat(states.stored(states.of(ONE), 5)).isNull();
    }

    @Test
    void expiredStatesMakeRoom() {
        keep(ONE, ALL, 1);
        states.sweep(states.keep(states.of(OTHER), "other", 10), 1);
        assertThat(states.size()).isEqualTo(1);
        keep(ONE, NEARLY_ALL, 10);
        assertThat(states.size()).isEqualTo(2);
    }

    @Test
    void removedStatesMakeRoom() {
        keep(ONE, ALL, 10);
        states.remove(states.of(ONE));
        keep(ONE, NEARLY_ALL, 10);
        keep(OTHER, "other", 10);
        assertThat(states.size()).isEqualTo(2);

        states.clear();
        assertThat(states.size()).isZero();
        keep(ONE, NEARLY_ALL, 10);
        keep(OTHER, "other", 10);
        assertThat(states.size()).isEqualTo(2);
    }

    private void keep(LimitKey key, Object stored, long expiresAt) {
        states.sweep(states.keep(states.of(key), stored, expiresAt), 0);
    }
}
