package io.quarkiverse.ratelimit.it.instances;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two instances without any Redis: each counts by itself. */
@Tag("slow")
class MemoryIT {

    @Test
    void everyInstanceCountsByItself() throws Exception {
        try (Instance one = Instance.startWithoutRedis(); Instance other = Instance.startWithoutRedis()) {
            for (int i = 0; i < 5; i++) {
                assertThat(status(one)).isEqualTo(200);
            }

            assertThat(status(one)).isEqualTo(429);
            assertThat(status(other)).isEqualTo(200);
            assertThat(one.log()).contains("in the memory of this instance").doesNotContain(" WARN ", " ERROR ");
        }
    }

    private static int status(Instance instance) {
        return instance.get("/limited/five-for-each", "alice").join().statusCode();
    }
}
