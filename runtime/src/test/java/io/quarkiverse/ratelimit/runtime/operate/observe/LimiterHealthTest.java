package io.quarkiverse.ratelimit.runtime.operate.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;

class LimiterHealthTest {

    @ParameterizedTest
    @CsvSource({ "false,1,0,not connected yet", "true,1,0,connected", "true,1,1,unavailable", "true,3,0,connected",
            "true,3,1,partly unavailable", "true,3,3,unavailable", "false,0,1,unavailable" })
    void redisIsAsAllItsNodesAre(boolean connected, int nodes, int unavailable, String condition) {
        UnavailableNode node = new UnavailableNode("127.0.0.1:7000", Duration.ofSeconds(3), "Connection refused");
        RedisHealth state = new RedisHealth(connected, nodes, Stream.generate(() -> node).limit(unavailable).toList());

        assertThat(LimiterHealth.condition(state)).isEqualTo(condition);
    }
}
