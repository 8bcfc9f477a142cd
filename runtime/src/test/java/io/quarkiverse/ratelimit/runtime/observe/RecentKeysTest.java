package io.quarkiverse.ratelimit.runtime.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentKeysTest {

    private final RecentKeys keys = new RecentKeys(3, 100);

    @Test
    void keyIsNewOnceInAWhile() {
        assertThat(keys.isNew("policy", "alice", -50)).isTrue();

        assertThat(keys.isNew("policy", "alice", 0)).isFalse();
        assertThat(keys.isNew("policy", "alice", 49)).isFalse();
        assertThat(keys.isNew("policy", "alice", 50)).isTrue();
        assertThat(keys.isNew("policy", "alice", 51)).isFalse();
    }

    @Test
    void keysAndPoliciesAreToldApart() {
        assertThat(keys.isNew("policy", "alice", 0)).isTrue();
        assertThat(keys.isNew("policy", "bob", 0)).isTrue();
        assertThat(keys.isNew("other", "alice", 0)).isTrue();
    }

    @Test
    void noKeyIsNewWhereAllPlacesAreTakenUntilOneIsForgotten() {
        for (int caller = 0; caller < 3; caller++) {
            assertThat(keys.isNew("policy", "caller" + caller, caller)).isTrue();
        }

        assertThat(keys.isNew("policy", "alice", 99)).isFalse();
        assertThat(keys.isNew("policy", "alice", 100)).isTrue();
        assertThat(keys.isNew("policy", "bob", 100)).isFalse();
    }
}
