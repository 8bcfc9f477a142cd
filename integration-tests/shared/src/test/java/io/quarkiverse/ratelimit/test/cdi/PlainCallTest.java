package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;

/** Methods with a plain return value wait for their decision, on any thread that may wait. */
@QuarkusTest
class PlainCallTest {

    @Inject
    Mailer mailer;

    @Inject
    Vertx vertx;

    @Test
    void thirdCallIsDeniedWithItsDecision() {
        assertThat(mailer.send("a", 1)).isEqualTo("a1");
        assertThat(mailer.send("b", 2)).isEqualTo("b2");

        RateLimitExceededException denial = catchThrowableOfType(RateLimitExceededException.class,
                () -> mailer.send("c", 3));

        assertThat(mailer.sent).hasValue(2);
        assertThat(denial).hasMessageContaining("policy two").hasNoSuppressedExceptions().hasNoCause();
        assertThat(denial.getStackTrace()).isEmpty();
        RateLimitDecision decision = denial.decision();
        assertThat(decision.policy()).isEqualTo("two");
        assertThat(decision.limit()).isEqualTo("default");
        assertThat(decision.key()).startsWith("method");
        assertThat(decision.allowed()).isFalse();
        assertThat(decision.permits()).isEqualTo(2);
        assertThat(decision.remaining()).isZero();
        assertThat(decision.granted()).isZero();
        assertThat(decision.delay()).isZero();
        assertThat(decision.retryAfter()).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
        assertThat(decision.resetAfter()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
        assertThat(decision.source()).isEqualTo(Source.REDIS);
        assertThat(decision.limits()).extracting(LimitState::limit).containsExactly("default");
    }

    @Test
    void workersAndOwnThreadsMayWait() {
        assertThat(vertx.executeBlocking(mailer::count).toCompletionStage().toCompletableFuture().join()).isEqualTo(1);
        assertThat(onItsOwnThread(mailer::count)).isEqualTo(2);

        assertThatThrownBy(() -> onItsOwnThread(mailer::count)).hasCauseInstanceOf(RateLimitExceededException.class);
        assertThat(vertx.executeBlocking(mailer::count).toCompletionStage().toCompletableFuture()).failsWithin(
                Duration.ofSeconds(5)).withThrowableThat().withCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void onAnEventLoopItFailsAndIsNotCharged() {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Object> result = new CompletableFuture<>();
            vertx.runOnContext(ignored -> result.completeAsync(mailer::onEventLoop, Runnable::run));
            assertThat(result).failsWithin(Duration.ofSeconds(5)).withThrowableThat().havingCause()
                    .isInstanceOf(IllegalStateException.class)
                    .withMessageContaining("PlainCallTest$Mailer#onEventLoop()")
                    .withMessageContaining("event loop")
                    .withMessageContaining("Uni");
        }

        mailer.onEventLoop();
        mailer.onEventLoop();
        assertThatThrownBy(mailer::onEventLoop).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void exceptionsOfTheMethodPassUnchangedAndAreCharged() {
        IOException checked = new IOException("checked");
        assertThatThrownBy(() -> mailer.fail(checked)).isSameAs(checked).hasNoSuppressedExceptions();
        IllegalStateException unchecked = new IllegalStateException("unchecked");
        assertThatThrownBy(() -> mailer.fail(unchecked)).isSameAs(unchecked).hasNoSuppressedExceptions();

        assertThatThrownBy(() -> mailer.fail(checked)).isInstanceOf(RateLimitExceededException.class);
    }

    private static <T> T onItsOwnThread(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, task -> new Thread(task).start()).join();
    }

    @Singleton
    @RateLimited("two")
    public static class Mailer {

        final AtomicInteger sent = new AtomicInteger();
        private int count;

        public <T extends CharSequence> String send(T text, int number) {
            sent.incrementAndGet();
            return text.toString() + number;
        }

        public int count() {
            return ++count;
        }

        public String onEventLoop() {
            return "sent";
        }

        public void fail(Exception failure) throws Exception {
            throw failure;
        }
    }
}
