package io.quarkiverse.ratelimit.it.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.faults.fixtures.FaultyRedis;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.redis.client.Command;

/** A test resets all limits also when connections to Redis break meanwhile. */
@Tag("slow")
@QuarkusTest
@QuarkusTestResource(FaultyRedis.class)
class ResetTest {

    private static final String KEY = "rate-limit:{a key}:policy:limit";

    FaultyRedis redis;

    @Inject
    RateLimitTesting limits;

    @AfterEach
    void passAgain() {
        redis.link().passAgain();
    }

    @Test
    void resetIsRepeatedWhileConnectionsBreak() {
        redis.send(Command.SET, KEY, "");
        redis.link().replyWithGarbage();
        long connected = connections();

        CompletableFuture<Void> reset = CompletableFuture.runAsync(limits::reset);
        await().atMost(Duration.ofSeconds(8)).until(() -> connections() >= connected + 10 || reset.isDone());
        redis.link().passAgain();

        assertThat(reset).succeedsWithin(Duration.ofSeconds(20));
        assertThat(redis.send(Command.EXISTS, KEY).toInteger()).isZero();
    }

    @Test
    void resetFailsAfterTenSecondsWithTheLastFailure() {
        redis.link().replyWithGarbage();
        long began = System.nanoTime();

        assertThatThrownBy(limits::reset).isInstanceOf(IllegalStateException.class).satisfies(failure -> assertThat(failure)
                .hasMessage("Cannot reset the limits because Redis did not reply: " + failure.getCause()));

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(15));
    }

    /** All connections that the server has ever accepted. */
    private long connections() {
        return Long.parseLong(redis.send(Command.INFO, "stats").toString()
                .replaceAll("(?s).*total_connections_received:(\\d+).*", "$1"));
    }
}
