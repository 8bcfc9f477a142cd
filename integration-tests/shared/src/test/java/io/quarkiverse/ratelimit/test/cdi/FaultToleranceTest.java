package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Provider;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Bulkhead;
import org.eclipse.microprofile.faulttolerance.CircuitBreaker;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.eclipse.microprofile.faulttolerance.Timeout;
import org.eclipse.microprofile.faulttolerance.exceptions.CircuitBreakerOpenException;
import org.eclipse.microprofile.faulttolerance.exceptions.TimeoutException;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;

/** Calls with fault tolerance are charged once, and denials reach fallbacks and circuit breakers of the caller. */
@QuarkusTest
class FaultToleranceTest {

    @Inject
    Service service;

    @Inject
    Caller caller;

    @Inject
    @RateLimitPolicy("cut")
    Provider<RateLimiter> provider;

    @Inject
    @RateLimitPolicy("cut")
    ReactiveRateLimiter reactive;

    @Inject
    @RateLimitPolicy("cut")
    Instance<ReactiveRateLimiter> reactiveLater;

    @Inject
    RateLimiters limiters;

    @Inject
    @Named("produced")
    String produced;

    @Test
    void stageOnAnotherThreadIsChargedOnce() {
        LimitAssertions.assertSucceeds(2, () -> service.async().toCompletableFuture().join());
        assertThat(service.asyncRuns).hasValue(6);
        assertThatThrownBy(() -> service.async().toCompletableFuture().join())
                .hasCauseInstanceOf(RateLimitExceededException.class);
        assertThat(service.asyncRuns).hasValue(6);
    }

    @Test
    void futureIsChargedOnce() throws Exception {
        LimitAssertions.assertSucceeds(2, () -> service.future().get());
        assertThatThrownBy(() -> service.future().get())
                .satisfiesAnyOf(f -> assertThat(f).isInstanceOf(RateLimitExceededException.class),
                        f -> assertThat(f).hasCauseInstanceOf(RateLimitExceededException.class));
    }

    @Test
    void callThatTimesOutIsCharged() {
        assertThatThrownBy(service::slow).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(service::slow).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(service::slow).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void denialsDoNotOpenTheCircuit() {
        LimitAssertions.assertAllows(2, service::broken);
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(service::broken).isInstanceOf(RateLimitExceededException.class);
        }
    }

    @Test
    void retriedUniIsChargedOnce() {
        LimitAssertions.assertAllows(2, () -> service.uni().await().indefinitely());
        assertThat(service.uniRuns).hasValue(6);
        Uni<Integer> again = service.uni();
        assertThatThrownBy(() -> again.await().indefinitely()).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void fallbackOfTheCallerDistinguishes() {
        assertThat(caller.onExceeded()).isEqualTo("ok");
        assertThat(caller.onExceeded()).isEqualTo("fallback");
        assertThatThrownBy(() -> caller.skipExceeded()).isInstanceOf(RateLimitExceededException.class);
        assertThatThrownBy(() -> caller.onUnavailable()).isInstanceOf(RateLimitExceededException.class);
        assertThat(caller.exceededOfUni().await().indefinitely()).isEqualTo("ok");
        assertThat(caller.exceededOfUni().await().indefinitely()).isEqualTo("fallback");
        assertThat(caller.exceededOfStage().toCompletableFuture().join()).isEqualTo("ok");
        assertThat(caller.exceededOfStage().toCompletableFuture().join()).isEqualTo("fallback");
    }

    @Test
    void circuitOfTheCallerOpensByDenialsUnlessSkipped() {
        for (int i = 0; i < 10; i++) {
            try {
                caller.circuit();
            } catch (RateLimitExceededException | CircuitBreakerOpenException e) {
                assertThat(e).isNotInstanceOf(CircuitBreakerOpenException.class);
            }
        }
    }

    @Test
    void limitersAreInjectedInEveryForm() {
        assertThat(provider.get().forKey("p").peek().policy()).isEqualTo("cut");
        assertThat(reactive.forKey("p").peek().await().indefinitely().policy()).isEqualTo("cut");
        assertThat(reactiveLater.get().forKey("p").peek().await().indefinitely().policy()).isEqualTo("cut");
        assertThat(produced).isEqualTo("cut");
        assertThat(CDI.current().select(RateLimiter.class, new Cut()).get().forKey("a").peek()
                .policy()).isEqualTo("cut");
    }

    @Test
    void costAboveCapacityIsDeniedWhilePermitsAreAhead() {
        RateLimiter a = limiters.get("cut").forKey("ahead");
        for (int i = 0; i < 100; i++) {
            assertThat(a.tryAcquire().allowed()).isTrue();
        }
        RateLimitDecision never = a.tryAcquire(1001);
        assertThat(never.allowed()).isFalse();
        assertThat(never.denialReason()).contains(DenialReason.COST_ABOVE_CAPACITY);
        RateLimitDecision upTo = a.tryAcquireUpTo(5000);
        assertThat(upTo.granted()).isEqualTo(900);
        a.refund(upTo);
        assertThat(a.peek().remaining()).isEqualTo(900);
        for (int i = 0; i < 20; i++) {
            assertThat(a.tryAcquire().allowed()).isTrue();
        }
        assertThat(a.tryAcquire(Integer.MAX_VALUE / 4).denialReason()).contains(DenialReason.COST_ABOVE_CAPACITY);
        assertThat(a.tryAcquire(870).allowed()).isTrue();
        assertThat(a.tryAcquireUpTo(100).granted()).isEqualTo(10);
        assertThat(a.tryAcquire().allowed()).isFalse();
    }

    @Test
    void globalKeyIsBlockedByCodeAndByPenalty() {
        RateLimiter one = limiters.get("penalized");
        one.block(Duration.ofMinutes(3));
        assertThat(one.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        assertThat(one.tryAcquire().retryAfter()).isBetween(Duration.ofSeconds(170), Duration.ofMinutes(3));
        one.unblock();
        assertThat(one.tryAcquire().allowed()).isTrue();
        assertThat(one.tryAcquire().denialReason()).contains(DenialReason.LIMIT_REACHED);
        assertThat(one.tryAcquire().allowed()).isFalse();
        assertThat(one.peek().denialReason()).contains(DenialReason.BLOCKED);
        assertThat(one.peek().retryAfter()).isBetween(Duration.ofMinutes(119), Duration.ofHours(2));
        one.reset();
        assertThat(one.tryAcquire().allowed()).isTrue();
    }

    @SuppressWarnings("all")
    public static class Cut extends AnnotationLiteral<RateLimitPolicy> implements RateLimitPolicy {
        @Override
        public String value() {
            return "cut";
        }
    }

    @Singleton
    public static class Producer {
        @Produces
        @Named("produced")
        @Singleton
        String name(@RateLimitPolicy("cut") RateLimiter limiter) {
            return limiter.forKey("x").peek().policy();
        }
    }

    @Singleton
    public static class Service {

        final AtomicInteger asyncRuns = new AtomicInteger();
        final AtomicInteger uniRuns = new AtomicInteger();

        @Asynchronous
        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @RateLimited("two")
        public CompletionStage<String> async() {
            if (asyncRuns.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("again");
            }
            return CompletableFuture.completedFuture("ok");
        }

        @Asynchronous
        @Bulkhead(3)
        @RateLimited("two")
        public Future<String> future() {
            return CompletableFuture.completedFuture("ok");
        }

        @Timeout(50)
        @RateLimited("two")
        public String slow() throws InterruptedException {
            new CountDownLatch(1).await(10, TimeUnit.SECONDS);
            return "";
        }

        @CircuitBreaker(requestVolumeThreshold = 3)
        @RateLimited("two")
        public void broken() {
        }

        @Timeout(5000)
        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @NonBlocking
        @RateLimited("two")
        public Uni<Integer> uni() {
            return uniRuns.incrementAndGet() % 3 == 0 ? Uni.createFrom().item(1)
                    : Uni.createFrom().failure(new IllegalStateException("again"));
        }

        @RateLimited("once")
        public String plain() {
            return "ok";
        }

        @RateLimited("once")
        public Uni<String> plainUni() {
            return Uni.createFrom().item("ok");
        }

        @RateLimited("once")
        public CompletionStage<String> plainStage() {
            return CompletableFuture.completedFuture("ok");
        }

        @RateLimited("once")
        public String forCircuit() {
            return "ok";
        }
    }

    @Singleton
    public static class Caller {

        @Inject
        Service service;

        @Fallback(fallbackMethod = "fallback", applyOn = RateLimitExceededException.class)
        public String onExceeded() {
            return service.plain();
        }

        @Fallback(fallbackMethod = "fallback", skipOn = RateLimitExceededException.class)
        public String skipExceeded() {
            return service.plain();
        }

        @Fallback(fallbackMethod = "fallback", applyOn = RateLimitUnavailableException.class)
        public String onUnavailable() {
            return service.plain();
        }

        @Fallback(fallbackMethod = "uniFallback", applyOn = RateLimitExceededException.class)
        public Uni<String> exceededOfUni() {
            return service.plainUni();
        }

        @Asynchronous
        @Fallback(fallbackMethod = "stageFallback", applyOn = RateLimitExceededException.class)
        public CompletionStage<String> exceededOfStage() {
            return service.plainStage();
        }

        @CircuitBreaker(requestVolumeThreshold = 3, skipOn = RateLimitExceededException.class)
        public String circuit() {
            return service.forCircuit();
        }

        String fallback() {
            return "fallback";
        }

        Uni<String> uniFallback() {
            return Uni.createFrom().item("fallback");
        }

        CompletionStage<String> stageFallback() {
            return CompletableFuture.completedFuture("fallback");
        }
    }
}
