package io.quarkiverse.ratelimit.runtime.engine.denials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

import org.junit.jupiter.api.Test;

class MostDeniedCountsTest {

    private final MostDenied.Counts counts = new MostDenied.Counts();

    @Test
    void countsAreExactWhileThereIsRoom() {
        for (int key = 1; key <= 100; key++) {
            for (int denial = 1; denial <= key; denial++) {
                counts.count("key" + key);
            }
        }

        assertThat(counts.drain(2)).containsExactly(Map.entry("key100", 100L), Map.entry("key99", 99L));
        assertThat(counts.drain(1)).isEmpty();
    }

    @Test
    void memoryIsBoundedWhateverKeysCallersChoose() {
        for (int key = 0; key < 100_000; key++) {
            counts.count("key" + key);
            assertThat(counts.byKey).hasSizeLessThanOrEqualTo(MostDenied.MAX_KEYS);
        }
    }

    @Test
    void keyThatIsDeniedOftenStaysAmongManyOthersAndIsNotOvercounted() {
        SplittableRandom random = new SplittableRandom(42);
        Map<String, Long> exact = new HashMap<>();
        for (int denial = 0; denial < 100_000; denial++) {
            String key = denial % 20 == 0 ? "often" : "key" + random.nextInt(50_000);
            counts.count(key);
            exact.merge(key, 1L, Long::sum);
        }

        Map<String, Long> counted = counts.drain(100);
        assertThat(counted).allSatisfy((key, count) -> assertThat(count).isLessThanOrEqualTo(exact.get(key)));
        assertThat(counted.entrySet().iterator().next().getKey()).isEqualTo("often");
        assertThat(counted.get("often")).isGreaterThan(4_900);
    }

    @Test
    void drainedKeysRestartAtZero() {
        counts.count("key");
        counts.count("key");
        assertThat(counts.drain(10)).containsExactly(Map.entry("key", 2L));
        counts.count("key");
        assertThat(counts.drain(10)).containsExactly(Map.entry("key", 1L));

        assertThat(counts.drain(10)).isEmpty();

        assertThat(counts.byKey).isEmpty();
    }
}
