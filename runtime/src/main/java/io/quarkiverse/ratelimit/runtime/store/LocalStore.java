package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;

import io.quarkiverse.ratelimit.runtime.algorithm.Growing;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Verdict;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, by the same algorithms; what no longer matters is forgotten. */
public final class LocalStore implements LimitStore {

    /** Of as many keys, or of fewer with long logs or many permits held: some 50 MB. */
    static final int MAX_WEIGHT = 200_000;

    private final LongSupplier clock;
    private final Cache<Key, State> states;

    /** @param clock microseconds since the epoch, which never go back */
    public LocalStore(LongSupplier clock) {
        this(clock, bounded(clock));
    }

    LocalStore(LongSupplier clock, Cache<Key, State> states) {
        this.clock = clock;
        this.states = states;
    }

    /** Weighs states when they are put, and makes room there: to wake another thread takes longer. */
    static Cache<Key, State> bounded(LongSupplier clock) {
        return Caffeine.newBuilder().maximumWeight(MAX_WEIGHT).weigher((Key key, State state) -> state.weight)
                .executor(Runnable::run).ticker(() -> TimeUnit.MICROSECONDS.toNanos(clock.getAsLong()))
                .expireAfter(Expiry.writing((Key key, State state) -> state.lifetime())).build();
    }

    public void forgetAll() {
        states.invalidateAll();
    }

    @Override
    public Uni<long[]> decide(Question question) {
        return Undecorated.deferred(() -> Uni.createFrom().item(decideNow(question)));
    }

    private synchronized long[] decideNow(Question question) {
        long now = clock.getAsLong();
        int limits = question.limits();
        long[] reply = new long[LimitRule.FIRST + limits * LimitRule.WIDTH];
        Heard[] heard = new Heard[limits];
        reply[0] = now;
        ask(question, now, 0, heard, reply);
        if (question.leveled()) {
            long least = Question.least(reply, LimitRule.FIRST, limits);
            if (least > 0) {
                ask(question, now, least, heard, reply);
            }
        }
        write(question, reply, heard, now);
        return reply;
    }

    private void ask(Question question, long now, long cost, Heard[] heard, long[] reply) {
        int n = 0;
        for (Ask ask : question.asks()) {
            for (Step step : ask.steps()) {
                Key key = new Key(ask.policy(), step.limit(), ask.caller());
                State state = states.getIfPresent(key);
                Verdict verdict = step.act().decide(state == null ? null : state.stored, now, cost);
                int at = LimitRule.FIRST + n * LimitRule.WIDTH;
                reply[at] = verdict.granted();
                reply[at + 1] = verdict.first();
                reply[at + 2] = verdict.second();
                reply[at + 3] = verdict.third();
                reply[at + 4] = verdict.fourth();
                heard[n++] = new Heard(key, state, verdict);
            }
        }
    }

    private void write(Question question, long[] reply, Heard[] heard, long now) {
        boolean admitted = question.admitted(reply);
        int n = 0;
        for (Ask ask : question.asks()) {
            int size = ask.steps().size();
            boolean charged = admitted && Question.admits(reply, LimitRule.FIRST + n * LimitRule.WIDTH, size);
            for (int i = 0; i < size; i++) {
                Heard one = heard[n++];
                if (one.verdict.stored() != null && (charged || !one.verdict.admitted())) {
                    keep(one, now);
                }
            }
        }
    }

    private void keep(Heard heard, long now) {
        Object stored = heard.verdict.stored().get();
        long expiresAt = Math.max(now + 1, heard.verdict.expiresAt());
        if (stored == null) {
            states.invalidate(heard.key);
        } else if (heard.state == null || !heard.state.becomes(stored, expiresAt)) {
            states.put(heard.key, new State(stored, now, expiresAt));
        }
    }

    record Key(String policy, String limit, String caller) {
    }

    /** What one limit says, and what it was asked about. */
    private record Heard(Key key, State state, Verdict verdict) {
    }

    /**
     * What is kept under a key. It is kept longer than it matters and changed in place as long as it is, because a write
     * takes the cache longer than all the rest of a decision.
     */
    static final class State {

        private static final long LONGER_AT_LEAST = TimeUnit.SECONDS.toMicros(1);
        private static final long LONGER_AT_MOST = TimeUnit.DAYS.toMicros(1);

        private Object stored;
        private final int weight;
        private final long put;
        private final long keptUntil;

        State(Object stored, long now, long expiresAt) {
            this.stored = stored;
            this.weight = weight(stored);
            this.put = now;
            this.keptUntil = expiresAt + Math.max(LONGER_AT_LEAST, Math.min(LONGER_AT_MOST, expiresAt - now));
        }

        /** Whether it can be changed without the cache's knowledge, which it then is. */
        boolean becomes(Object other, long expiresAt) {
            if (expiresAt > keptUntil || weight(other) != weight) {
                return false;
            }
            stored = other;
            return true;
        }

        Duration lifetime() {
            return Duration.of(keptUntil - put, ChronoUnit.MICROS);
        }

        private static int weight(Object stored) {
            return stored instanceof Growing growing ? 1 + growing.weight() : 1;
        }
    }
}
