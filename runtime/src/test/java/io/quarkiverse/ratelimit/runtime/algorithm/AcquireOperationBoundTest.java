package io.quarkiverse.ratelimit.runtime.algorithm;

import static java.math.BigInteger.valueOf;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MICROS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.DecidedCall;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.StoreCalls.Where;

/** Calls acquire no more than the rule allows after all earlier calls, and are not denied what it allows. */
class AcquireOperationBoundTest {

    private static final int CALLS_OF_ONE = 120;
    private static final OperationKind[] KINDS = { OperationKind.ACQUIRE, OperationKind.ACQUIRE, OperationKind.ACQUIRE,
            OperationKind.ACQUIRE_UP_TO, OperationKind.PEEK };

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    /** This number of permits was granted then. */
    private record Acquired(long at, long permits) {
    }

    static Stream<Arguments> everywhere() {
        return StoreCalls.everywhere();
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void calledAtRandom(Algorithm algorithm, Where where, int seed) {
        Random random = new Random(seed);
        try (StoreCalls store = new StoreCalls(where, REDIS)) {
            for (int step = 0; step < where.steps; step += CALLS_OF_ONE) {
                Limit limit = RandomLimits.of(algorithm, random);
                store.nextCaller();
                callAtRandom(store, limit, random);
            }
        }
    }

    private void callAtRandom(StoreCalls store, Limit limit, Random random) {
        List<Acquired> acquired = new ArrayList<>();
        for (int i = 0; i < CALLS_OF_ONE; i++) {
            store.pass(limit, random);
            PermitRequest requested = store.call(StoreCalls.anyCost(limit, random), KINDS[random.nextInt(KINDS.length)]);
            DecidedCall decided = store.decide(limit, requested);

            if (decided.allowed() && requested.kind() != OperationKind.PEEK) {
                Acquired these = new Acquired(decided.goesAt(), decided.granted());
                assertThat(allows(limit, acquired, these)).as("%s by %s after %s", these, limit, acquired).isTrue();
                acquired.add(these);
            }
            boolean peeks = requested.kind() == OperationKind.PEEK;
            if (allowsAllItCan(limit) && (peeks || decided.granted() < requested.cost())) {
                long more = requested.kind() == OperationKind.ACQUIRE_UP_TO ? 1 : requested.cost();
                assertThat(allows(limit, acquired, new Acquired(store.now(), more)))
                        .as("%s by %s after %s", requested, limit, acquired)
                        .isEqualTo(peeks && decided.allowed());
            }
        }
    }

    /**
     * Whether the limit allows everything that the rule allows after the earlier calls. A bucket that delays calls or is
     * refilled at intervals does not.
     */
    private static boolean allowsAllItCan(Limit limit) {
        return limit.refill() == Refill.GREEDY && limit.maxWait().isZero();
    }

    private static boolean allows(Limit limit, List<Acquired> acquired, Acquired next) {
        return switch (limit.algorithm()) {
            case TOKEN_BUCKET, LEAKY_BUCKET -> bucketAllows(limit, acquired, next);
            case FIXED_WINDOW -> fixedWindowAllows(limit, acquired, next);
            case SLIDING_WINDOW -> slidingWindowAllows(limit, acquired, next);
            case SLIDING_LOG -> sum(acquired, next.at - period(limit) + 1, next) <= limit.permits();
            case CONCURRENCY -> throw new IllegalArgumentException("Concurrency does not count by time");
        };
    }

    /** In every span that ends now: the burst, and what came back in the span. */
    private static boolean bucketAllows(Limit limit, List<Acquired> acquired, Acquired next) {
        long sum = next.permits;
        boolean allows = sum <= limit.burst();
        for (int i = acquired.size() - 1; i >= 0 && allows; i--) {
            sum += acquired.get(i).permits;
            allows = valueOf(sum).multiply(valueOf(period(limit)))
                    .compareTo(comesBack(limit, next.at - acquired.get(i).at)) <= 0;
        }
        return allows;
    }

    /**
     * How many permits there can be in a span, in 1/period. Waits are rounded up to whole microseconds; and at the moment
     * when permits come back at once, those go ahead that waited for them.
     */
    private static BigInteger comesBack(Limit limit, long span) {
        long period = period(limit);
        long waits = limit.maxWait().isZero() ? 0 : 1;
        long time = limit.refill() == Refill.GREEDY ? span + waits : (span + waits + period - 1) / period * period;
        return valueOf(limit.burst()).multiply(valueOf(period)).add(valueOf(limit.permits()).multiply(valueOf(time)));
    }

    private static boolean fixedWindowAllows(Limit limit, List<Acquired> acquired, Acquired next) {
        return sum(acquired, windowStart(limit, next.at), next) <= limit.permits();
    }

    private static long windowStart(Limit limit, long at) {
        if (limit.calendar() == null) {
            return at - at % period(limit);
        }
        ZonedDateTime time = Instant.EPOCH.plus(at, MICROS).atZone(limit.zone());
        LocalDate day = time.toLocalDate();
        ZonedDateTime start = switch (limit.calendar()) {
            case MINUTE -> time.truncatedTo(MINUTES);
            case HOUR -> time.truncatedTo(HOURS);
            case DAY -> day.atStartOfDay(limit.zone());
            case WEEK -> day.with(DayOfWeek.MONDAY).atStartOfDay(limit.zone());
            case MONTH -> day.withDayOfMonth(1).atStartOfDay(limit.zone());
            case YEAR -> day.withDayOfYear(1).atStartOfDay(limit.zone());
        };
        return MICROS.between(Instant.EPOCH, start.toInstant());
    }

    /** The rule as it is written, times the period. */
    private static boolean slidingWindowAllows(Limit limit, List<Acquired> acquired, Acquired next) {
        long period = period(limit);
        long start = next.at - next.at % period;
        long count = sum(acquired, start, next);
        long previous = sum(acquired, start - period, next) - count;
        BigInteger weighted = valueOf(previous).multiply(valueOf(period - (next.at - start)));
        return weighted.add(valueOf(count).multiply(valueOf(period)))
                .compareTo(valueOf(limit.permits()).multiply(valueOf(period))) <= 0;
    }

    private static long sum(List<Acquired> acquired, long from, Acquired next) {
        return next.permits + acquired.stream().filter(these -> these.at >= from).mapToLong(Acquired::permits).sum();
    }

    private static long period(Limit limit) {
        return StoreCalls.micros(limit.period());
    }
}
