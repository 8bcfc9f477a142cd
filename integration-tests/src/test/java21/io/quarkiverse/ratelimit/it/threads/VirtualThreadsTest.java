package io.quarkiverse.ratelimit.it.threads;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.RateLimitTesting;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Methods on virtual threads are decided once, and wait on them. */
@QuarkusTest
class VirtualThreadsTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** More than the carriers that the JDK would ever make, were they pinned. */
    private static final int MANY = 400;

    @Inject
    RateLimitTesting limits;

    @Inject
    VirtualBean bean;

    @Inject
    @RateLimitPolicy("three-for-each")
    RateLimiter threeForEach;

    @Inject
    @RateLimitPolicy("one-an-hour")
    RateLimiter oneAnHour;

    @BeforeEach
    void freshLimits() {
        limits.reset();
    }

    @ParameterizedTest
    @ValueSource(strings = { "resource", "bean", "uni-of-bean", "multi-of-bean" })
    void callIsDecidedOnce(String kind) {
        for (int left = 2; left >= 0; left--) {
            Response allowed = call(kind);
            assertThat(allowed.statusCode()).isEqualTo(200);
            assertThat(allowed.asString()).isEqualTo("ran on a virtual thread: true");
            assertThat(threeForEach.forKey(kind).peek().remaining()).isEqualTo(left);
        }

        assertThat(call(kind).statusCode()).isEqualTo(429);
    }

    @Test
    void manyMoreVirtualThreadsThanCarriersWaitAtTheSameTime() {
        oneAnHour.tryAcquire();
        AtomicInteger stopped = new AtomicInteger();

        List<Thread> waiting = IntStream.range(0, MANY).mapToObj(i -> Thread.ofVirtual().start(() -> {
            try {
                bean.waits();
            } catch (Exception interrupted) {
                stopped.incrementAndGet();
            }
        })).toList();

        await().atMost(SOON)
                .until(() -> oneAnHour.peek().resetAfter().compareTo(Duration.ofHours(MANY)) > 0);
        assertThat(waiting).allMatch(Thread::isAlive);
        waiting.forEach(Thread::interrupt);
        await().atMost(SOON).until(() -> stopped.get() == MANY);
        await().atMost(SOON)
                .until(() -> oneAnHour.peek().resetAfter().compareTo(Duration.ofHours(1)) <= 0);
    }

    private static Response call(String kind) {
        return given().header("Caller", kind).get("/virtual/" + kind);
    }
}
