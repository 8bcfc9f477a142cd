package org.acme.algorithms;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.docs.PicturedLimit;
import io.quarkus.test.junit.QuarkusTest;

/** The configuration and figures on the page about algorithms are those of its pictures. */
@QuarkusTest
class AlgorithmsTest extends FreshLimits {

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void configurationMatchesThePictures() {
        for (PicturedLimit pictured : PicturedLimit.ALL) {
            assertThat(admin.policy(pictured.policy()).limits()).isEqualTo(Map.of("default", pictured.limit()));
        }
        assertThat(admin.policy("monthly").limits())
                .isEqualTo(Map.of("default", Limit.fixedWindow(1000, CalendarPeriod.MONTH, ZoneId.of("Europe/Berlin"))));
    }

    /** Allocators and versions of Redis differ, so a third more or less is accepted. */
    @ParameterizedTest
    @CsvSource({ "token-bucket, 1, 123", "fixed-window, 1, 114", "sliding-window, 1, 124", "sliding-log, 10, 325",
            "sliding-log, 1000, 14228", "concurrency, 10, 339", "concurrency, 1000, 94472" })
    void keyTakesAsMuchMemoryAsThePageSays(String algorithm, int permits, long bytes) {
        assertThat(memory(algorithm, permits)).isBetween(bytes * 2 / 3, bytes * 3 / 2);
    }

    // tag::memory[]
    private long memory(String algorithm, int permits) {
        RateLimiter limiter = limiters.create("memory", limit(algorithm, permits));
        if (algorithm.equals("sliding-log")) {
            for (int call = 1; call <= permits; call++) {
                limiter.forKey("alice").acquireOrThrow();
            }
            return used("rate-limit:{key=alice}:memory:default:sl1");
        }
        RateLimitReservation reservation = limiter.forKey("alice").reserve(permits);
        long bytes = used(redis.key().keys("rate-limit:{key=alice}:memory:default:*").get(0));
        reservation.cancel();
        return bytes;
    }

    private long used(String key) {
        return redis.execute("MEMORY", "USAGE", key, "SAMPLES", "0").toLong();
    }
    // end::memory[]

    private static Limit limit(String algorithm, int permits) {
        Duration hour = Duration.ofHours(1);
        return switch (algorithm) {
            case "token-bucket" -> Limit.tokenBucket(permits).refill(1, hour);
            case "fixed-window" -> Limit.fixedWindow(permits, CalendarPeriod.YEAR);
            case "sliding-window" -> Limit.slidingWindow(permits, Duration.ofDays(366));
            case "sliding-log" -> Limit.slidingLog(permits, hour);
            case "concurrency" -> Limit.concurrency(permits);
            default -> throw new IllegalArgumentException(algorithm);
        };
    }
}
