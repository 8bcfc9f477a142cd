package io.quarkiverse.ratelimit.test.observe;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.arc.AsyncObserverExceptionHandler;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;

/** Observers get an event for denials, at most once per second for each caller of a policy. */
@QuarkusTest
class RateLimitExceededTest {

    @Inject
    Observer observer;

    @Inject
    Handler handler;

    @Inject
    RateLimiters limiters;

    @Test
    void denialEventContainsItsDecisionAndArrivesOnAThreadThatMayBlock() {
        String caller = UUID.randomUUID().toString();

        assertThat(send(caller)).isEqualTo(200);
        assertThat(send(caller)).isEqualTo(429);

        RateLimitExceeded exceeded = await().until(() -> eventsOf(caller), events -> events.size() == 1).get(0);
        assertThat(exceeded.policy()).isEqualTo("exceeded-once");
        assertThat(exceeded.decision().retryAfter()).isPositive();
        assertThat(exceeded.decision().key()).startsWith("header:x-caller*").doesNotContain(caller);
        assertThat(observer.blockingWasAllowed).isTrue();
    }

    @Test
    void callersAreDistinguished() {
        List<String> callers = IntStream.range(0, 20).mapToObj(i -> UUID.randomUUID().toString()).toList();

        callers.forEach(this::sendTwice);

        await().untilAsserted(() -> assertThat(callers).allMatch(caller -> eventsOf(caller).size() >= 1));
    }

    @Test
    void manyDenialsOfACallerAreOneEventPerSecond() {
        String caller = UUID.randomUUID().toString();
        long began = System.nanoTime();
        send(caller);
        for (int denied = 1; denied <= 50; denied++) {
            send(caller);
        }
        long seconds = (System.nanoTime() - began) / 1_000_000_000 + 1;

        await().until(() -> !eventsOf(caller).isEmpty());
        assertThat(eventsOf(caller)).hasSizeLessThanOrEqualTo((int) seconds);
    }

    @Test
    void onlyExceededLimitsFireEvents() {
        assertThat(given().get("/exceeded").statusCode()).isEqualTo(429);
        limiters.get("exceeded-trial").forKey("anybody").tryAcquire();
        limiters.get("exceeded-trial").forKey("anybody").tryAcquire();
        String last = UUID.randomUUID().toString();
        sendTwice(last);

        await().until(() -> !eventsOf(last).isEmpty());
        assertThat(observer.events)
                .allMatch(exceeded -> exceeded.policy().equals("exceeded-once") && !exceeded.decision().key().isEmpty());
    }

    @Test
    void failingObserverIsLeftToTheHandlerOfTheApplication() {
        observer.failure = new IllegalStateException("no alert could be sent");
        try {
            sendTwice(UUID.randomUUID().toString());

            await().untilAsserted(() -> assertThat(handler.handled).contains(observer.failure));
        } finally {
            observer.failure = null;
        }
    }

    private void sendTwice(String caller) {
        send(caller);
        send(caller);
    }

    private static int send(String caller) {
        return given().header("X-Caller", caller).get("/exceeded").statusCode();
    }

    private List<RateLimitExceeded> eventsOf(String caller) {
        String key = limiters.get("exceeded-once").forKey(caller).peek().key();
        return observer.events.stream().filter(exceeded -> exceeded.decision().key().equals(key)).toList();
    }

    @Path("/exceeded")
    public static class Resource {
        @GET
        @RateLimited("exceeded-once")
        public String once() {
            return "ok";
        }
    }

    @Singleton
    public static class Observer {

        final List<RateLimitExceeded> events = new CopyOnWriteArrayList<>();
        volatile boolean blockingWasAllowed;
        volatile RuntimeException failure;

        void onExceeded(@ObservesAsync RateLimitExceeded exceeded) {
            if (!exceeded.policy().startsWith("exceeded-")) {
                return;
            }
            blockingWasAllowed = BlockingOperationControl.isBlockingAllowed();
            events.add(exceeded);
            if (failure != null) {
                throw failure;
            }
        }
    }

    @Singleton
    public static class Handler implements AsyncObserverExceptionHandler {

        final List<Throwable> handled = new CopyOnWriteArrayList<>();

        @Override
        public void handle(Throwable failure, ObserverMethod<?> observer, EventContext<?> context) {
            handled.add(failure);
        }
    }
}
