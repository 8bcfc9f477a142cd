package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.smallrye.mutiny.Uni;

/**
 * Keeps the plans that a bean returned for the keys of one policy. One call of the bean at a time serves all callers with the
 * same key. While the bean fails, the last known plan of the key applies.
 *
 * @param lifetime how long a plan is kept, in microseconds
 * @param clock microseconds
 */
record PlanCache(long lifetime, LongSupplier clock, Map<String, KeptPlan> entries) {

    static final int MAX_KEYS = 50_000;
    /** Shortest time between a failure of the bean and its next call. */
    private static final long PAUSE = TimeUnit.SECONDS.toMicros(1);

    PlanCache(long lifetime, LongSupplier clock) {
        // keys are texts, which can be compared: lookups stay fast when an attacker chooses keys with equal hashes
        this(lifetime, clock, Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, KeptPlan> leastRecentlyUsed) {
                return size() > MAX_KEYS;
            }
        }));
    }

    /** Returns the entry with the plan, which may be {@code null}, if it is up to date; otherwise {@code null}. */
    KeptPlan upToDate(String key) {
        KeptPlan entry = entries.get(key);
        return entry != null && clock.getAsLong() < entry.until ? entry : null;
    }

    /** Returns the last known plan, which may be out of date; {@code null} for none. */
    Plan last(String key) {
        KeptPlan entry = entries.get(key);
        return entry == null ? null : entry.plan;
    }

    /**
     * Calls the bean, or waits for the call of another caller. Canceling the result does not cancel the call.
     *
     * @param bean must complete, perhaps with a failure
     */
    Uni<Plan> get(String key, Uni<Plan> bean) {
        KeptPlan entry = entries.computeIfAbsent(key, ignored -> new KeptPlan());
        CompletableFuture<Plan> mine = new CompletableFuture<>();
        CompletableFuture<Plan> call = entry.join(mine, clock.getAsLong());
        if (call == mine) {
            bean.subscribe().with(plan -> entry.end(plan, clock.getAsLong() + lifetime),
                    failure -> entry.end(entry.plan,
                            entry.until == 0 ? 0 : clock.getAsLong() + Math.min(lifetime, PAUSE)));
        }
        return CallerContext.switchingToEventLoop(() -> PlainUni.emitter(caller -> call.thenAccept(caller::complete)));
    }

    /** Evicts everything. Calls of the bean that have begun complete, but are not kept. */
    void evictAll() {
        entries.clear();
    }

    static final class KeptPlan {

        volatile Plan plan;
        /** Time when the bean is called again; 0 until it has returned a plan, or none. */
        private volatile long until;
        private CompletableFuture<Plan> call;

        /** Returns the plan that is up to date, the call in progress, or {@code mine}, which is in progress from now on. */
        private synchronized CompletableFuture<Plan> join(CompletableFuture<Plan> mine, long now) {
            if (now < until) {
                return CompletableFuture.completedFuture(plan);
            }
            call = call == null ? mine : call;
            return call;
        }

        private void end(Plan result, long resultUntil) {
            CompletableFuture<Plan> ended;
            synchronized (this) {
                plan = result;
                until = resultUntil;
                ended = call;
                call = null;
            }
            ended.complete(result);
        }
    }
}
