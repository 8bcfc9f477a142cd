package io.quarkiverse.ratelimit.runtime.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.store.OverrideStore.Versioned;

class LocalOverridesTest {

    private static final Duration HUNDRED_YEARS = Duration.ofDays(36525);

    private final AtomicLong micros = new AtomicLong(1_763_640_000_000_000L);
    private final LocalStore store = new LocalStore(micros::get);

    @Test
    void nothingIsReadBeforeTheFirstChange() {
        assertThat(read("")).isNull();
    }

    @Test
    void textsAreReadOncePerChange() {
        put("one", "1", Duration.ofHours(1));
        put("always", "2", HUNDRED_YEARS);
        Versioned first = read("");

        assertThat(first.texts()).hasSize(2);
        assertThat(first.texts().get("one").ttl()).isEqualTo(Duration.ofHours(1));
        assertThat(first.texts().get("always").ttl()).isEqualTo(HUNDRED_YEARS);
        assertThat(read(first.version())).isNull();

        store.overrides().remove("one").await().indefinitely();
        assertThat(read(first.version()).texts()).containsOnlyKeys("always");
    }

    @Test
    void expiredTextsAreGone() {
        put("short", "1", Duration.ofSeconds(10));
        micros.addAndGet(9_999_999);
        assertThat(read("").texts()).containsOnlyKeys("short");

        micros.incrementAndGet();
        assertThat(read("").texts()).isEmpty();
    }

    @Test
    void expiredTextsAreAChange() {
        put("short", "1", Duration.ofSeconds(10));
        put("always", "2", HUNDRED_YEARS);
        String known = read("").version();

        micros.addAndGet(9_999_999);
        assertThat(read(known)).isNull();
        micros.incrementAndGet();
        assertThat(read(known).texts()).containsOnlyKeys("always");
    }

    @Test
    void asManyTextsAreKeptAsInRedis() {
        for (int text = 0; text < 9_999; text++) {
            put("text" + text, "1", HUNDRED_YEARS);
        }
        put("short", "1", Duration.ofSeconds(10));

        assertThatThrownBy(() -> put("one more", "1", HUNDRED_YEARS)).isInstanceOf(IllegalStateException.class)
                .hasMessage("There are 10000 overrides and blocks already, remove some first");
        put("text7", "changed", HUNDRED_YEARS);
        assertThat(read("").texts()).hasSize(10_000).containsKey("short").doesNotContainKey("one more");
        micros.addAndGet(10_000_000);
        put("one more", "1", HUNDRED_YEARS);
        assertThat(read("").texts()).hasSize(10_000).doesNotContainKey("short").containsKey("one more");
    }

    @Test
    void removedTextsAreAChange() {
        put("one", "1", HUNDRED_YEARS);
        String known = read("").version();

        store.clear();

        assertThat(read(known).texts()).isEmpty();
    }

    private void put(String name, String text, Duration ttl) {
        store.overrides().put(name, text, ttl).await().indefinitely();
    }

    private Versioned read(String known) {
        return store.overrides().changedSince(known, micros.get()).await().indefinitely();
    }
}
