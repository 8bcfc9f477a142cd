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
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Goes on refusing for a moment what Redis has refused, until it would be admitted: the same call of the same caller by the
 * same limits. Whatever this instance does for the caller's good ends it.
 */
final class Denials {

    static final int MAX_ENTRIES = 50_000;
    /** More than one for each that is kept, so that those that are over become fewer. */
    private static final int LOOKS = 2;
    /** What is over sooner saves less than it takes to keep it: Redis takes about as long to answer. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

    private final LongSupplier ahead;
    private final LongSupplier nanoTime;
    private final AtomicLong changes = new AtomicLong();
    private final Map<Key, Denial> denials = new ConcurrentHashMap<>();
    /** All that are in force, and some that are not, those first that are over first; guarded by itself. */
    private final Queue<Denial> byEnd = new PriorityQueue<>();

    /** @param ahead how many microseconds tests have moved the limiter's clock */
    Denials(LongSupplier ahead) {
        this(ahead, System::nanoTime);
    }

    Denials(LongSupplier ahead, LongSupplier nanoTime) {
        this.ahead = ahead;
        this.nanoTime = nanoTime;
    }

    /** What a question is about that may be refused here; {@code null} for all others. */
    static Asked only(List<Asked> asked) {
        if (asked.size() != 1) {
            return null;
        }
        Policy policy = asked.get(0).charge().policy();
        boolean may = !policy.denialCache().isZero() && policy.mode() == Mode.ENFORCE && !policy.countWhen().areFew()
                && asked.get(0).charge().call().manner() == Manner.TAKE && !asked.get(0).charge().holdsPermits();
        return may ? asked.get(0) : null;
    }

    /** What Redis would answer now to a call that it has just refused; {@code null} when it must be asked. */
    Outcome refusing(Asked asked) {
        Denial denial = denials.isEmpty() ? null : denials.get(Key.of(asked));
        if (denial == null || denial.refused.policy() != asked.charge().policy()
                || denial.cost != asked.charge().call().cost() || denial.ahead != ahead.getAsLong()) {
            return null;
        }
        long now = nanoTime.getAsLong();
        return now - denial.until >= 0 ? null
                : new Outcome(List.of(new Decided(denial.refused.policy(),
                        later(denial.refused.decision(), Duration.ofNanos(now - denial.answered).truncatedTo(MICROS)), false)));
    }

    private static RateLimitDecision later(RateLimitDecision d, Duration time) {
        List<LimitState> limits = new ArrayList<>(d.limits().size());
        for (LimitState l : d.limits()) {
            limits.add(new LimitState(l.limit(), l.numbers(), l.allowed(), l.permits(), l.remaining(), l.delay(),
                    less(l.retryAfter(), time), less(l.nextPermitAfter(), time), less(l.resetAfter(), time)));
        }
        return new RateLimitDecision(d.policy(), d.limit(), d.key(), d.allowed(), d.permits(), d.remaining(), 0, d.delay(),
                less(d.retryAfter(), time), less(d.resetAfter(), time), Source.DENIAL_CACHE, limits,
                d.decidedAt().plus(time), 0);
    }

    /** No time stays none. */
    private static Duration less(Duration duration, Duration time) {
        return duration.isZero() ? duration : duration.minus(time);
    }

    /** When a question is sent, by {@link System#nanoTime}. */
    long now() {
        return nanoTime.getAsLong();
    }

    /** How often something was done for callers' good. */
    long changes() {
        return changes.get();
    }

    /**
     * Notes an answer: a refusal that lasts is kept, unless something has changed since its question was sent; others end
     * it.
     *
     * @param sent when its question was sent
     * @param changesBefore how many there were then
     */
    void answered(Asked asked, Outcome outcome, long sent, long changesBefore) {
        Decided refused = outcome.decisions().get(0);
        long lifetime = refused.decision().allowed() ? 0 : lifetime(refused);
        long now = lifetime < SHORTEST ? 0 : nanoTime.getAsLong();
        if (lifetime < SHORTEST || now - (sent + lifetime) >= 0) {
            charged(asked);
            return;
        }
        Denial denial = new Denial(Key.of(asked), refused, asked.charge().call().cost(), now, sent + lifetime,
                ahead.getAsLong());
        keep(denial);
        if (changes.get() != changesBefore) {
            denials.remove(denial.key);
        }
    }

    /** Keeps it, and forgets some that are over, and what is over first of too many. */
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

    /** Notes that something else was asked, after which other numbers may be true. */
    void charged(List<Asked> asked) {
        asked.forEach(this::charged);
    }

    private void charged(Asked asked) {
        if (!denials.isEmpty()) {
            denials.remove(Key.of(asked));
        }
    }

    /** Until anything of the answer would be another one. */
    private static long lifetime(Decided refused) {
        Duration lifetime = refused.policy().denialCache();
        for (LimitState limit : refused.decision().limits()) {
            lifetime = shorter(lifetime, limit.retryAfter());
            lifetime = shorter(lifetime, limit.nextPermitAfter());
        }
        return lifetime.toNanos();
    }

    private static Duration shorter(Duration lifetime, Duration time) {
        return time.isZero() || lifetime.compareTo(time) < 0 ? lifetime : time;
    }

    /** Forgets a caller of a policy. */
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

    /** In an order, so that keys whose hashes are made to be equal are still found at once. */
    private record Key(String policy, String caller) implements Comparable<Key> {

        static Key of(Asked asked) {
            return new Key(asked.charge().policy().name(), asked.caller());
        }

        @Override
        public int compareTo(Key other) {
            int byCaller = caller.compareTo(other.caller);
            return byCaller != 0 ? byCaller : policy.compareTo(other.policy);
        }
    }

    /**
     * @param answered when, by {@link System#nanoTime}
     * @param until when Redis must be asked again: counted from the sending of the question
     */
    private record Denial(Key key, Decided refused, long cost, long answered, long until, long ahead)
            implements
                Comparable<Denial> {

        @Override
        public int compareTo(Denial other) {
            return Long.signum(until - other.until);
        }

        /** No other is the same, even if its numbers are. */
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
