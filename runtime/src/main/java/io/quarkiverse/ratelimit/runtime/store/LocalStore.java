package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, by the same algorithms; what no longer matters is forgotten. */
public final class LocalStore implements LimitStore {

    private static final int MAX_KEYS = 100_000;

    private final LongSupplier nanoTime;
    private final long origin;
    private final Cache<Key, State> states;

    /** @param nanoTime like {@link System#nanoTime()} */
    public LocalStore(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.origin = nanoTime.getAsLong();
        this.states = Caffeine.newBuilder().maximumSize(MAX_KEYS).ticker(nanoTime::getAsLong)
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
        long now = TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - origin);
        int limits = question.limits();
        long[] reply = new long[limits * LimitRule.WIDTH];
        Key[] keys = new Key[limits];
        LimitRule.Verdict[] verdicts = new LimitRule.Verdict[limits];
        int n = 0;
        for (Ask ask : question.asks()) {
            Policy policy = ask.charge().policy();
            for (int i = 0; i < policy.limits().size(); i++, n++) {
                keys[n] = new Key(policy.name(), policy.limits().get(i).name(), ask.caller());
                State state = states.getIfPresent(keys[n]);
                verdicts[n] = policy.limits().get(i).rule()
                        .decide(state == null ? null : state.numbers, now, ask.charge().cost());
                int at = n * LimitRule.WIDTH;
                reply[at] = verdicts[n].admitted() ? 1 : 0;
                reply[at + 1] = verdicts[n].first();
                reply[at + 2] = verdicts[n].second();
                reply[at + 3] = verdicts[n].third();
            }
        }
        write(question, reply, keys, verdicts, now);
        return reply;
    }

    private void write(Question question, long[] reply, Key[] keys, LimitRule.Verdict[] verdicts, long now) {
        boolean admitted = question.admitted(reply);
        int n = 0;
        for (Ask ask : question.asks()) {
            int size = ask.charge().policy().limits().size();
            boolean charged = admitted && Question.admits(reply, n * LimitRule.WIDTH, size);
            for (int i = 0; i < size; i++, n++) {
                LimitRule.Verdict verdict = verdicts[n];
                if (verdict.stored() != null && (charged || !verdict.admitted())) {
                    long lifetime = TimeUnit.MICROSECONDS.toNanos(Math.max(1, verdict.expiresAt() - now));
                    states.put(keys[n], new State(verdict.stored(), lifetime));
                }
            }
        }
    }

    private record Key(String policy, String limit, String caller) {
    }

    private record State(long[] numbers, long lifetime) {
    }
}
