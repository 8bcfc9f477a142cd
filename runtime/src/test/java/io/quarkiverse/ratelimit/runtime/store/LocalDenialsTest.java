package io.quarkiverse.ratelimit.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
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

        assertThat(most(2)).containsExactly(new KeyDenials("alice", 4), new KeyDenials("bob", 3));
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

    @Test
    void onlyTheKeysDeniedMostAreKept() {
        Map<String, Long> denials = new HashMap<>();
        for (long i = 1; i <= 2 * LocalDenials.MAX_KEYS; i++) {
            denials.put("key" + i, i);
        }

        add(denials);

        assertThat(most(Integer.MAX_VALUE)).hasSize(LocalDenials.MAX_KEYS)
                .allMatch(denied -> denied.denials() > LocalDenials.MAX_KEYS);
    }

    @Test
    void keysWhoseBlocksEndLastAreKept() {
        long now = micros.get();
        Map<String, Long> ends = new HashMap<>();
        for (int i = 1; i <= 2 * LocalDenials.MAX_KEYS; i++) {
            ends.put("key" + i, now + i * SECOND);
        }
        store.denials().addBlocked("policy", ends).await().indefinitely();

        assertThat(blocked()).hasSize(LocalDenials.MAX_KEYS).contains("key" + ends.size(), "key" + (LocalDenials.MAX_KEYS + 1));
        micros.addAndGet((ends.size() - 1) * SECOND);
        assertThat(blocked()).containsExactly("key" + ends.size());
        store.clear();
        assertThat(blocked()).isEmpty();
    }

    private List<String> blocked() {
        return store.denials().blocked("policy").await().indefinitely();
    }

    private void add(Map<String, Long> denials) {
        store.denials().add("policy", denials).await().indefinitely();
    }

    private List<DeniedKey> most(int count) {
        return store.denials().most("policy", count).await().indefinitely();
    }
}
