package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
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

    /** Weighs states when they are put, which is each time they have changed. */
    static Cache<Key, State> bounded(LongSupplier clock) {
        return Caffeine.newBuilder().maximumWeight(MAX_WEIGHT).weigher((Key key, State state) -> state.weight())
                .ticker(() -> TimeUnit.MICROSECONDS.toNanos(clock.getAsLong()))
                .expireAfter(Expiry.writing((Key key, State state) -> Duration.ofNanos(state.lifetime))).build();
    }

    public void forgetAll() {
        states.invalidateAll();
    }

    @Override
    public Uni<long[]> decide(Question question) {
        return Uni.createFrom().item(() -> decideNow(question));
    }

    private synchronized long[] decideNow(Question question) {
        long now = clock.getAsLong();
        int limits = question.limits();
        long[] reply = new long[LimitRule.FIRST + limits * LimitRule.WIDTH];
        Verdict[] verdicts = new Verdict[limits];
        reply[0] = now;
        ask(question, now, 0, verdicts, reply);
        if (question.leveled()) {
            long least = Question.least(reply, LimitRule.FIRST, limits);
            if (least > 0) {
                ask(question, now, least, verdicts, reply);
            }
        }
        write(question, reply, verdicts, now);
        return reply;
    }

    private void ask(Question question, long now, long cost, Verdict[] verdicts, long[] reply) {
        int n = 0;
        for (Ask ask : question.asks()) {
            for (Step step : ask.steps()) {
                State state = states.getIfPresent(new Key(ask.policy(), step.limit(), ask.caller()));
                Verdict verdict = step.act().decide(state == null ? null : state.stored, now, cost);
                int at = LimitRule.FIRST + n * LimitRule.WIDTH;
                reply[at] = verdict.granted();
                reply[at + 1] = verdict.first();
                reply[at + 2] = verdict.second();
                reply[at + 3] = verdict.third();
                reply[at + 4] = verdict.fourth();
                verdicts[n++] = verdict;
            }
        }
    }

    private void write(Question question, long[] reply, Verdict[] verdicts, long now) {
        boolean admitted = question.admitted(reply);
        int n = 0;
        for (Ask ask : question.asks()) {
            int size = ask.steps().size();
            boolean charged = admitted && Question.admits(reply, LimitRule.FIRST + n * LimitRule.WIDTH, size);
            for (Step step : ask.steps()) {
                Verdict verdict = verdicts[n++];
                if (verdict.stored() != null && (charged || !verdict.admitted())) {
                    keep(new Key(ask.policy(), step.limit(), ask.caller()), verdict, now);
                }
            }
        }
    }

    private void keep(Key key, Verdict verdict, long now) {
        Object stored = verdict.stored().get();
        if (stored == null) {
            states.invalidate(key);
        } else {
            states.put(key, new State(stored, TimeUnit.MICROSECONDS.toNanos(Math.max(1, verdict.expiresAt() - now))));
        }
    }

    record Key(String policy, String limit, String caller) {
    }

    record State(Object stored, long lifetime) {

        int weight() {
            return stored instanceof Growing growing ? 1 + growing.weight() : 1;
        }
    }
}
