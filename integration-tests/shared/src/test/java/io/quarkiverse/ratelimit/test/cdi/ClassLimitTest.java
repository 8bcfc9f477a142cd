package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.InvocationContext;

import org.eclipse.microprofile.context.ManagedExecutor;
import org.eclipse.microprofile.faulttolerance.Asynchronous;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.faulttolerance.api.BeforeRetry;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** The limit of a class charges a call once, whatever the class and fault tolerance call within it. */
@QuarkusTest
class ClassLimitTest {

    @Inject
    Service service;

    @Inject
    Lazy lazy;

    @Inject
    @RateLimitPolicy("class-calls")
    RateLimiter limiter;

    private long chargedBy(Runnable call) {
        long before = limiter.peek().remaining();
        call.run();
        return before - limiter.peek().remaining();
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "fallback", "fallbackWithFailure", "uniFallback", "retry", "asynchronous", "itself",
            "proxy", "event", "uni", "laterUni", "multi", "stage", "executor",
            "anotherBean" })
    void callIsChargedOnce(String kind) {
        assertThat(chargedBy(() -> {
            switch (kind) {
                case "plain" -> service.plain();
                case "fallback" -> service.fallback("a");
                case "fallbackWithFailure" -> service.fallbackWithFailure();
                case "uniFallback" -> await(service.uniFallback());
                case "retry" -> service.retry();
                case "asynchronous" -> service.asynchronous().toCompletableFuture().join();
                case "itself" -> service.itself();
                case "proxy" -> service.proxy();
                case "event" -> service.event();
                case "anotherBean" -> service.anotherBean();
                case "uni" -> await(service.uni());
                case "laterUni" -> await(service.laterUni());
                case "multi" -> service.multi().collect().asList().await().atMost(Duration.ofSeconds(10));
                case "stage" -> service.stage().toCompletableFuture().join();
                case "executor" -> service.executor().toCompletableFuture().join();
                default -> throw new IllegalArgumentException(kind);
            }
        })).isEqualTo(1);
    }

    private static void await(Uni<?> uni) {
        uni.await().atMost(Duration.ofSeconds(10));
    }

    @Test
    void callbacksOfTheContainerAreNotCalls() {
        assertThat(chargedBy(lazy::call)).isEqualTo(1);
        assertThat(lazy.constructed()).isEqualTo(1);
    }

    @Test
    void ownAnnotationCountsWithinACall() {
        assertThat(chargedBy(service::callsAnnotated)).isEqualTo(2);
        assertThat(chargedBy(service::annotatedCallsPlain)).isEqualTo(1);
    }

    @Test
    void callOutsideOfAChargedCallIsCharged() {
        assertThat(chargedBy(service::unlimitedCallsPlain)).isEqualTo(1);
        assertThat(chargedBy(() -> service.free())).isZero();
    }

    @Test
    void simultaneousCallsAreChargedEach() {
        assertThat(chargedBy(() -> await(Uni.join().all(List.of(service.laterUni(), service.laterUni(), service.uni()))
                .andCollectFailures()))).isEqualTo(3);
    }

    @Test
    void callAfterTheEndOfTheOneThatPreparedItIsCharged() {
        CompletableFuture<String> event = new CompletableFuture<>();
        CompletableFuture<Void> handled = new CompletableFuture<>();

        assertThat(chargedBy(() -> service.callOn(event, handled))).isEqualTo(1);
        assertThat(chargedBy(() -> {
            event.complete("now");
            handled.join();
        })).isEqualTo(1);
    }

    @Test
    void otherMethodWithTheNameOfAFallbackIsCharged() {
        assertThat(chargedBy(() -> service.instead(1))).isEqualTo(1);
        assertThat(chargedBy(() -> service.instead("a", "b"))).isEqualTo(1);
        assertThat(chargedBy(() -> service.sameName("a"))).isEqualTo(1);
    }

    @ApplicationScoped
    @RateLimited("calls-of-another-class")
    public static class Another {

        @Inject
        Service service;

        void callBack() {
            service.plain();
        }
    }

    @ApplicationScoped
    @RateLimited("class-calls")
    public static class Service {

        private final AtomicInteger attempts = new AtomicInteger();

        @Inject
        Service self;

        @Inject
        Another another;

        @Inject
        Event<Service> events;

        @Inject
        ManagedExecutor executor;

        void plain() {
        }

        void anotherBean() {
            another.callBack();
        }

        @Unlimited
        void free() {
        }

        @Fallback(fallbackMethod = "instead")
        String fallback(String text) {
            throw new IllegalStateException("no");
        }

        String instead(String text) {
            return "fallback";
        }

        String instead(String text, String other) {
            return "no fallback";
        }

        String instead(long number) {
            return "no fallback";
        }

        @Fallback(fallbackMethod = "insteadOfFailure")
        String fallbackWithFailure() {
            throw new IllegalStateException("no");
        }

        String insteadOfFailure(IllegalStateException failure) {
            return failure.getMessage();
        }

        @Fallback(fallbackMethod = "sameName")
        String sameName(String text) {
            throw new IllegalStateException("no");
        }

        String sameName(String text, IllegalStateException failure) {
            return failure.getMessage();
        }

        @NonBlocking
        @Fallback(fallbackMethod = "laterInstead")
        Uni<String> uniFallback() {
            return Uni.createFrom().item("").onItem().delayIt().by(Duration.ofMillis(1))
                    .onItem().failWith(() -> new IllegalStateException("no"));
        }

        Uni<String> laterInstead() {
            return Uni.createFrom().item("fallback");
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @BeforeRetry(methodName = "again")
        void retry() {
            if (attempts.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("again");
            }
        }

        void again() {
        }

        @Asynchronous
        CompletionStage<String> asynchronous() {
            plain();
            return CompletableFuture.completedFuture("done");
        }

        void itself() {
            plain();
            this.plain();
        }

        void proxy() {
            self.plain();
        }

        void event() {
            events.fire(this);
        }

        void observe(@Observes Service event) {
        }

        Uni<String> uni() {
            return Uni.createFrom().item("item").chain(this::laterInstead).chain(this::simpleUni);
        }

        Uni<String> simpleUni() {
            return Uni.createFrom().item("item");
        }

        Uni<String> laterUni() {
            return Uni.createFrom().item("item").onItem().delayIt().by(Duration.ofMillis(1)).chain(this::simpleUni)
                    .onItem().delayIt().by(Duration.ofMillis(1)).invoke(this::plainText)
                    .chain(() -> self.simpleUni());
        }

        @NonBlocking
        CompletionStage<String> plainText() {
            return CompletableFuture.completedFuture("text");
        }

        Multi<String> multi() {
            return Multi.createFrom().items("a", "b").onItem().transformToUniAndConcatenate(item -> simpleUni());
        }

        CompletionStage<String> stage() {
            return laterUni().subscribeAsCompletionStage();
        }

        CompletionStage<String> executor() {
            return executor.supplyAsync(() -> {
                plain();
                return "done";
            });
        }

        @RateLimited("class-calls")
        void annotated() {
        }

        void callsAnnotated() {
            annotated();
        }

        @RateLimited("class-calls")
        void annotatedCallsPlain() {
            plain();
        }

        @Unlimited
        void unlimitedCallsPlain() {
            plain();
        }

        void callOn(CompletionStage<String> event, CompletableFuture<Void> handled) {
            Executor ownThread = task -> new Thread(task).start();
            Uni.createFrom().completionStage(event).emitOn(ownThread).subscribe().with(item -> {
                plain();
                handled.complete(null);
            }, handled::completeExceptionally);
        }
    }

    @ApplicationScoped
    @RateLimited("class-calls")
    public static class Lazy {

        private int constructed;

        @PostConstruct
        void construct() {
            constructed++;
        }

        @AroundInvoke
        Object around(InvocationContext call) throws Exception {
            return call.proceed();
        }

        void call() {
        }

        @Unlimited
        int constructed() {
            return constructed;
        }
    }
}
