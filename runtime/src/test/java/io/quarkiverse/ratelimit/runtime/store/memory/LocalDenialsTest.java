package io.quarkiverse.ratelimit.runtime.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.runtime.store.DenialStore.KeyDenials;

class LocalDenialsTest {

    private static final long SECOND = 1_000_000;

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);

    @Test
    void keysDeniedMostComeFirst() {
        add(Map.of("alice", 2L, "bob", 3L));
        add(Map.of("alice", 2L, "carol", 1L));

        assertThat(most(2)).containsExactly(new KeyDenials("policy", "alice", 4), new KeyDenials("policy", "bob", 3));
        assertThat(store.denials().total("policy").await().indefinitely()).isEqualTo(8);
        assertThat(store.denials().most("other", 2).await().indefinitely()).isEmpty();
    }

    @Test
    void denialsExpireAfterAMinute() {
        add(Map.of("alice", 3L));
        micros.addAndGet(59 * SECOND);
        add(Map.of("bob", 1L));
        assertThat(most(9)).extracting(DeniedKey::key).containsExactly("alice", "bob");

        micros.addAndGet(SECOND);
        assertThat(most(9)).extracting(DeniedKey::key).containsExactly("bob");

        store.clear();
        assertThat(most(9)).isEmpty();
    }

    private void add(Map<String, Long> denials) {
        store.denials().add("policy", denials.values().stream().mapToLong(Long::longValue).sum(), denials).await()
                .indefinitely();
    }

    private List<DeniedKey> most(int count) {
        return store.denials().most("policy", count).await().indefinitely();
    }
}
