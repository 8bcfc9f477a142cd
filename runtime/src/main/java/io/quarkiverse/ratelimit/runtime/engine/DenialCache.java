package io.quarkiverse.ratelimit.runtime.engine;

import static java.time.temporal.ChronoUnit.MICROS;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/**
 * Repeats a denial of Redis for a short time without a request to Redis. An entry applies to the same call of the same
 * caller under the same limits, until Redis would allow it. A refund, reset or override on this instance evicts the
 * entry.
 */
public final class DenialCache {

    static final int MAX_ENTRIES = 50_000;
    /** More than one look for each added entry, so that the number of expired entries falls. */
    private static final int LOOKS = 2;
    /** Shorter denials are not cached, as a request to Redis takes about as long. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier ahead;
    private final LongSupplier nanoTime;
    private final AtomicLong changes = new AtomicLong();
    private final Map<Key, Denial> denials = new ConcurrentHashMap<>();
    /** All entries in force and some expired ones, in the order of their end; has its own size limit. */
    private final Queue<Denial> byEnd = new PriorityQueue<>();

    /** @param ahead by how many microseconds tests have moved the limiter's clock */
    public DenialCache(LongSupplier ahead) {
        this(ahead, System::nanoTime);
    }

    public DenialCache(LongSupplier ahead, LongSupplier nanoTime) {
        this.ahead = ahead;
        this.nanoTime = nanoTime;
    }

    /** Whether a denial of this request can be cached: it has one policy, and the same call will be denied for some time. */
    static boolean isCacheable(StoreRequest request) {
        return request.policies().size() == 1 && request.policies().get(0).charge().repeatsDenials();
    }

    /** The cached denial as Redis would reply now; {@code null} when Redis must decide. */
    Outcome denial(PolicyRequest request) {
        Denial denial = denials.isEmpty() ? null : denials.get(Key.of(request));
        if (denial == null || !denial.decision.applied().equals(request.policy())
                || denial.cost != request.call().cost() || denial.ahead != ahead.getAsLong()) {
            return null;
        }
        long now = nanoTime.getAsLong();
        return now - denial.until >= 0 ? null
                : new Outcome(List.of(later(denial.decision, Duration.ofNanos(now - denial.answered).truncatedTo(MICROS))));
    }

    private static Decision later(Decision d, Duration time) {
        List<LimitState> limits = new ArrayList<>(d.limits().size());
        for (LimitState l : d.limits()) {
            limits.add(new LimitUsage(l.limit(), l.definition(), l.allowed(), l.permits(), l.remaining(), l.delay(),
                    less(l.retryAfter(), time), less(l.nextPermitAfter(), time), less(l.resetAfter(), time)));
        }
        return new Decision(d.applied(), d.limit(), d.key(), d.allowed(), d.permits(), d.remaining(), 0, d.delay(),
                less(d.retryAfter(), time), less(d.resetAfter(), time), Source.DENIAL_CACHE, limits, d.reason(),
                d.decidedAt().plus(time), 0, null);
    }

    /** Zero stays zero. */
    private static Duration less(Duration duration, Duration time) {
        return duration.isZero() ? duration : duration.minus(time);
    }

    /** When a request is sent, by {@link System#nanoTime}. */
    long now() {
        return nanoTime.getAsLong();
    }

    /** Counts refunds, resets and overrides. */
    long changes() {
        return changes.get();
    }

    /**
     * Records a reply. Caches a denial that lasts, unless something has changed since its request was sent. Any other
     * reply evicts the entry.
     *
     * @param sent when the request was sent
     * @param changesBefore the number of changes at that time
     */
    void decided(PolicyRequest request, Outcome outcome, long sent, long changesBefore) {
        Decision decision = outcome.decisions().get(0);
        boolean lasts = decision.reason() == DenialReason.BLOCKED
                || !decision.allowed() && request.policy().denialsLast();
        long lifetime = lasts ? lifetime(decision) : 0;
        long now = lifetime < SHORTEST ? 0 : nanoTime.getAsLong();
        if (lifetime < SHORTEST || now - (sent + lifetime) >= 0) {
            charged(request);
            return;
        }
        Denial denial = new Denial(Key.of(request), decision, request.call().cost(), now, sent + lifetime,
                ahead.getAsLong());
        keep(denial);
        if (changes.get() != changesBefore) {
            denials.remove(denial.key);
        }
    }

    /** Adds an entry. Evicts some expired entries, and those that end first when there are too many. */
    private void keep(Denial denial) {
        denials.put(denial.key, denial);
        synchronized (byEnd) {
            byEnd.add(denial);
            for (int looks = 0; looks < LOOKS && !byEnd.isEmpty(); looks++) {
                Denial first = byEnd.element();
                boolean holds = denials.get(first.key) == first && denial.answered - first.until < 0;
                if (holds && denials.size() <= MAX_ENTRIES && byEnd.size() <= 2 * MAX_ENTRIES) {
                    break;
                }
                byEnd.remove();
                denials.remove(first.key, first);
            }
        }
    }

    /** Evicts the entries of these callers, as their limits may have changed state. */
    void charged(StoreRequest request) {
        request.policies().forEach(this::charged);
    }

    private void charged(PolicyRequest request) {
        if (!denials.isEmpty()) {
            denials.remove(Key.of(request));
        }
    }

    /** The time until any part of the reply changes. */
    private static long lifetime(Decision denial) {
        Duration lifetime = denial.applied().denialCache();
        for (LimitState limit : denial.limits()) {
            lifetime = shorter(lifetime, limit.retryAfter());
            lifetime = shorter(lifetime, limit.nextPermitAfter());
        }
        return lifetime.toNanos();
    }

    private static Duration shorter(Duration lifetime, Duration time) {
        return time.isZero() || lifetime.compareTo(time) < 0 ? lifetime : time;
    }

    /** Evicts the entry of a caller of a policy. */
    void forget(String policy, String caller) {
        changes.incrementAndGet();
        denials.remove(new Key(policy, caller));
    }

    void forgetAll() {
        changes.incrementAndGet();
        denials.clear();
    }

    int size() {
        return denials.size();
    }

    /** Comparable, so that lookups stay fast when an attacker chooses keys with equal hashes. */
    private record Key(String policy, String caller) implements Comparable<Key> {

        static Key of(PolicyRequest request) {
            return new Key(request.policy().name(), request.caller());
        }

        @Override
        public int compareTo(Key other) {
            int byCaller = caller.compareTo(other.caller);
            return byCaller != 0 ? byCaller : policy.compareTo(other.policy);
        }
    }

    /**
     * @param answered when the reply arrived, by {@link System#nanoTime}
     * @param until when Redis must decide again; counted from when the request was sent
     */
    private record Denial(Key key, Decision decision, long cost, long answered, long until, long ahead)
            implements
                Comparable<Denial> {

        @Override
        public int compareTo(Denial other) {
            return Long.signum(until - other.until);
        }

        /** Compares by identity, as different denials may have the same numbers. */
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
