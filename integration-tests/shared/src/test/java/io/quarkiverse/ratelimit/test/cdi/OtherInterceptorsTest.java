package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** The limit lies outside of retries and fallbacks, and inside of security checks. */
@QuarkusTest
class OtherInterceptorsTest {

    @Inject
    Service service;

    @Test
    void retriesAreOneCallAndDenialsAreNotRetried() {
        assertAllows(2, service::retried);
        assertThat(service.attempts).hasValue(6);

        assertAllows(2, () -> service.retriedLater().await().indefinitely());
        assertThat(service.laterAttempts).hasValue(6);
    }

    @Test
    void fallbackStandsInForFailuresAndNotForDenials() {
        assertThat(service.withFallback()).isEqualTo("fallback");
        assertThat(service.withFallback()).isEqualTo("fallback");

        assertThatThrownBy(service::withFallback).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    @ActivateRequestContext
    void forbiddenCallsCostNothing() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(service::forAdmins).isInstanceOf(UnauthorizedException.class);
        }
    }

    @Singleton
    public static class Service {

        final AtomicInteger attempts = new AtomicInteger();
        final AtomicInteger laterAttempts = new AtomicInteger();

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @RateLimited("two")
        public void retried() {
            if (attempts.incrementAndGet() % 3 != 0) {
                throw new IllegalStateException("again");
            }
        }

        @Retry(maxRetries = 2, delay = 0, jitter = 0)
        @RateLimited("two")
        public Uni<Integer> retriedLater() {
            return laterAttempts.incrementAndGet() % 3 == 0 ? Uni.createFrom().item(1)
                    : Uni.createFrom().failure(new IllegalStateException("again"));
        }

        @Fallback(fallbackMethod = "fallback")
        @RateLimited("two")
        public String withFallback() {
            throw new IllegalStateException("no");
        }

        String fallback() {
            return "fallback";
        }

        @RolesAllowed("admin")
        @RateLimited("two")
        public void forAdmins() {
        }
    }
}
