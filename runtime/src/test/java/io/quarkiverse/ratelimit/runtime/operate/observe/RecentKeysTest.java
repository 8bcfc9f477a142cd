package io.quarkiverse.ratelimit.runtime.operate.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;

class RecentKeysTest {

    private final RecentKeys<String> keys = new RecentKeys<>(Duration.ofNanos(100));

    @Test
    void keyIsNewOnceInAWhile() {
        assertThat(keys.isNew("alice", -50)).isTrue();

        assertThat(keys.isNew("alice", 0)).isFalse();
        assertThat(keys.isNew("alice", 49)).isFalse();
        assertThat(keys.isNew("alice", 50)).isTrue();
        assertThat(keys.isNew("alice", 51)).isFalse();
    }

    @Test
    void keysAreDistinguished() {
        assertThat(keys.isNew("alice", 0)).isTrue();
        assertThat(keys.isNew("bob", 0)).isTrue();
        assertThat(keys.isNew("other", 0)).isTrue();
    }

    @Test
    void noKeyIsNewInAFullMapUntilOneIsEvicted() {
        for (int caller = 0; caller < RecentKeys.MAX_KEYS; caller++) {
            assertThat(keys.isNew("caller" + caller, Math.min(caller, 2))).isTrue();
        }

        assertThat(keys.isNew("alice", 99)).isFalse();
        assertThat(keys.isNew("alice", 100)).isTrue();
        assertThat(keys.isNew("bob", 100)).isFalse();
    }

    @Test
    void everyKeyIsNewAfterTheClockWentBack() {
        assertThat(keys.isNew("alice", 1_000)).isTrue();

        assertThat(keys.isNew("alice", 901)).isFalse();
        assertThat(keys.isNew("alice", 900)).isTrue();
    }

    @Test
    void everyKeyIsNewAfterClear() {
        assertThat(keys.isNew("alice", 0)).isTrue();

        keys.clear();

        assertThat(keys.isNew("alice", 1)).isTrue();
    }

    @Test
    void keysWithEqualHashCodesTakeFewComparisons() {
        int callers = RecentKeys.MAX_KEYS;
        RecentKeys<Colliding> colliding = new RecentKeys<>(Duration.ofNanos(100));
        int[] looks = new int[1];

        for (int round = 0; round < 2; round++) {
            for (int caller = 0; caller < callers; caller++) {
                assertThat(colliding.isNew(new Colliding(caller, looks), 100 * round)).isTrue();
            }
            for (int caller = 0; caller < callers; caller++) {
                assertThat(colliding.isNew(new Colliding(caller, looks), 100 * round + 1)).isFalse();
            }
        }

        // a balanced tree of 10 000 has up to 28 levels, a list of them takes 5 000 comparisons on average
        assertThat(looks[0] / (4 * callers)).isLessThan(100);
    }

    /** Counts how often it is compared with another. */
    private record Colliding(int caller, int[] looks) implements Comparable<Colliding> {

        @Override
        public int compareTo(Colliding other) {
            looks[0]++;
            return Integer.compare(caller, other.caller);
        }

        @Override
        public boolean equals(Object other) {
            looks[0]++;
            return other instanceof Colliding key && caller == key.caller;
        }

        @Override
        public int hashCode() {
            return 1;
        }
    }
}
