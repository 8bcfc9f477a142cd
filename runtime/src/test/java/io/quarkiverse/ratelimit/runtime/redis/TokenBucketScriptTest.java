package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** The script and the arithmetic in Java give the same answers and store the same state, whatever happens. */
class TokenBucketScriptTest {

    private static final long START = 1_763_640_000_000_000L;
    /** Fifty years on; a century more still fits into the 53 bits of a Lua number. */
    private static final long END = START + 50 * 366 * 86_400_000_000L;
    private static final int HOUR_MILLIS = 3_600_000;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    /** The very script, but its time is what the test says, and an hour longer to live for time that is only said. */
    private final String script = DecideScript.assembled()
            .replace("redis.call('TIME')", "{ '0', '0' }")
            .replace("'PX', ttl[n]", "'PX', ttl[n] + " + HOUR_MILLIS);

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    void scriptAndJavaAgreeOnRandomHistories(long seed) {
        Random random = new Random(seed);
        long[] stored = null;
        long now = START;
        Limit limit = randomLimit(random);
        String key = "history:" + seed;

        for (int step = 0; step < 4_000; step++) {
            if (random.nextInt(50) == 0) {
                limit = randomLimit(random);
            }
            if (random.nextInt(200) == 0 || now > END) {
                now = START;
                stored = null;
                REDIS.send(Command.DEL, key);
            }
            now += randomStep(random, limit);
            long cost = random.nextInt(4) == 0 ? 1 + random.nextLong(limit.burst() + 3) : 1;
            LimitRule rule = LimitRule.of(limit);

            LimitRule.Verdict expected = rule.decide(stored, now, cost);
            Response reply = REDIS.send(Command.EVAL, script, 1, key, now, "0", "token_bucket", rule.arguments(cost));

            if (expected.stored() != null) {
                stored = expected.stored();
                long ttl = REDIS.send(Command.PTTL, key).toLong() - HOUR_MILLIS;
                long needed = Math.floorDiv(expected.expiresAt() - now + 999, 1000) + 1;
                assertThat(ttl).as("time to live, step %d", step).isBetween(needed - 1_000, needed);
            }
            assertThat(
                    Arrays.asList(reply.get(0).toLong(), reply.get(1).toLong(), reply.get(2).toLong(), reply.get(3).toLong()))
                    .as("step %d, %s, cost %d", step, limit, cost)
                    .containsExactly(expected.admitted() ? 1L : 0L, expected.first(), expected.second(), expected.third());
            assertThat(read(REDIS.send(Command.GET, key))).as("state, step %d, %s", step, limit).isEqualTo(stored);
        }
    }

    private static Limit randomLimit(Random random) {
        long[] permits = { 1, 3, 7, 10, 60, 1_000, 999_983, 700_000, 1_000_000_000 };
        long[] periods = { 1, 7, 1_000, 60_000, 86_400_000, 366L * 86_400_000 };
        while (true) {
            long burst = random.nextBoolean() ? 1 + random.nextInt(20) : 1 + random.nextInt(1_000_000_000);
            try {
                return new Limit(Algorithm.TOKEN_BUCKET, permits[random.nextInt(permits.length)],
                        Duration.ofMillis(periods[random.nextInt(periods.length)]), burst,
                        Refill.values()[random.nextInt(2)]);
            } catch (IllegalArgumentException fillsInMoreThanAHundredYears) {
                continue;
            }
        }
    }

    private static long randomStep(Random random, Limit limit) {
        long period = limit.period().toNanos() / 1000;
        return switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> period;
            case 3 -> random.nextLong(period) + 1;
            case 4 -> random.nextInt(20) == 0 ? -random.nextLong(3 * period) : 0;
            case 5 -> random.nextLong(2 * LimitRule.of(limit).fillTime());
            default -> period / limit.permits();
        };
    }

    private static long[] read(Response stored) {
        if (stored == null) {
            return null;
        }
        ByteBuffer state = ByteBuffer.wrap(stored.toBytes()).order(ByteOrder.LITTLE_ENDIAN);
        return new long[] { state.get(), Integer.toUnsignedLong(state.getInt()), (long) state.getDouble(),
                (long) state.getDouble(), (long) state.getDouble(), Integer.toUnsignedLong(state.getInt()) };
    }
}
