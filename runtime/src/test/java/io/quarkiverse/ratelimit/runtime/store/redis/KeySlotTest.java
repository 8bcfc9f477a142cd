package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeySlotTest {

    /** The slots are those that {@code CLUSTER KEYSLOT} of Redis returns. */
    @ParameterizedTest
    @CsvSource({ "'', 0", "123456789, 12739", "foo, 12182", "bär, 1138", "😀, 2959",
            "foo{hash_tag}, 2515", "bar{hash_tag}, 2515", "{user1000}.following, 3443", "{user1000}.followers, 3443",
            "foo{}{bar}, 8363", "foo{{bar}}zap, 4015", "foo{bar}{zap}, 5061", "bar, 5061", "a{b, 13340", "a}b{c}, 7365" })
    void slotIsThatOfRedis(String key, int slot) {
        assertThat(KeySlot.of(key)).isEqualTo(slot);
    }
}
