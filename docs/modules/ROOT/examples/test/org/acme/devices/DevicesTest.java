package org.acme.devices;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.platform.Waits;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Devices that share a key, and wait for {@code Retry-After}. */
@QuarkusTest
class DevicesTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    /** By how much the clock was moved. */
    private Duration moved = Duration.ZERO;

    @Test
    void withJitterTheyComeBackOverTime() {
        assertThat(requestsEach("/devices", "devices", 200)).isLessThan(3);
    }

    @Test
    void withoutJitterTheyComeBackAllAtOnce() {
        assertThat(requestsEach("/devices/at-once", "devices-at-once", 20)).isGreaterThan(10);
    }

    /** Whatever denies the request: its method, a route, or code that it calls. */
    @ParameterizedTest
    @ValueSource(strings = { "/devices", "/devices/route", "/devices/code" })
    void allWaitsOfAResponseHaveTheSameJitter(String path) {
        RateLimiter customer = usedUp("devices");
        Set<Long> waits = new HashSet<>();

        for (int device = 1; device <= 10; device++) {
            Response denied = call(path);
            long wait = retryAfter(denied), now = System.currentTimeMillis() / 1_000;
            waits.add(wait);
            // the clock goes on, so the exact wait is between 60 s and 87 s
            assertThat(wait).isBetween(60L, 4 * 3_600L + 87);
            assertThat(denied.header("RateLimit")).endsWith(";t=" + wait);
            // a permit comes back every 86.4 s, so the last one comes 86314 s after the first one
            assertThat(Long.parseLong(denied.header("X-RateLimit-Reset")) - now - wait).isBetween(86_300L, 86_330L);
            assertThat(denied.path("detail").toString())
                    .endsWith("Retry after " + Waits.inWords(Duration.ofSeconds(wait)) + ".");
        }
        assertThat(waits).hasSizeGreaterThan(8);
        assertThat(customer.peek().retryAfter()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(87));
        assertThat(call("/devices/at-once").statusCode()).isEqualTo(200);
    }

    /** How often each device calls until its call is allowed. */
    private double requestsEach(String path, String policy, int devices) {
        usedUp(policy);
        long start = System.nanoTime();
        PriorityQueue<Duration> due = new PriorityQueue<>(Comparator.naturalOrder());
        for (int device = 0; device < devices; device++) {
            due.add(Duration.ZERO);
        }
        int requests = 0;
        while (!due.isEmpty()) {
            Duration wait = due.remove().minus(now(start));
            if (wait.compareTo(Duration.ZERO) > 0) {
                limits.advance(wait);
                moved = moved.plus(wait);
            }
            requests++;
            Response response = call(path);
            if (response.statusCode() == 429) {
                due.add(now(start).plusSeconds(retryAfter(response)));
            }
        }
        return (double) requests / devices;
    }

    private Duration now(long start) {
        return moved.plusNanos(System.nanoTime() - start);
    }

    private RateLimiter usedUp(String policy) {
        RateLimiter customer = limiters.get(policy).forKey("customer");
        assertThat(customer.tryAcquire(1_000).allowed()).isTrue();
        return customer;
    }

    private static Response call(String path) {
        return given().header("X-Api-Key", "customer").get(path);
    }

    private static long retryAfter(Response denied) {
        assertThat(denied.statusCode()).isEqualTo(429);
        return Long.parseLong(denied.header("Retry-After"));
    }
}
