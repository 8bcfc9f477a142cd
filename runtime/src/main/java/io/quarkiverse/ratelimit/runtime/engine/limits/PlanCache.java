package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.smallrye.mutiny.Uni;

/**
 * Keeps the plans that a bean returned for the keys of one policy. One call of the bean at a time serves all callers with the
 * same key. While the bean fails, the last known plan of the key applies.
 */
final class PlanCache {

    static final int MAX_KEYS = 50_000;
    /** How soon the bean is called again after a failure. */
    private static final long PAUSE = TimeUnit.SECONDS.toMicros(1);

    private final long lifetime;
    private final LongSupplier clock;
    /** Keys are texts, which can be compared: lookups stay fast when an attacker chooses keys with equal hashes. */
    final Map<String, Known> known = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Known> leastRecentlyUsed) {
            return size() > MAX_KEYS;
        }
    });
    private final Map<String, CompletableFuture<Plan>> lookups = new ConcurrentHashMap<>();

    /**
     * @param lifetime how long a plan is kept, in microseconds
     * @param clock microseconds
     */
    PlanCache(long lifetime, LongSupplier clock) {
        this.lifetime = lifetime;
        this.clock = clock;
    }

    /** The plan, which may be {@code null}, if it is up to date; otherwise {@code null}. */
    Known upToDate(String key) {
        Known last = known.get(key);
        return last != null && clock.getAsLong() < last.until ? last : null;
    }

    /** The last known plan, which may be out of date; {@code null} for none. */
    Plan last(String key) {
        Known last = known.get(key);
        return last == null ? null : last.plan;
    }

    /**
     * Calls the bean, or waits for the call of another caller. Canceling the result does not cancel the call.
     *
     * @param bean must complete, perhaps with a failure
     */
    Uni<Plan> get(String key, Uni<Plan> bean) {
        CompletableFuture<Plan> mine = new CompletableFuture<>();
        CompletableFuture<Plan> lookup = lookups.computeIfAbsent(key, ignored -> mine);
        if (lookup == mine) {
            Known meanwhile = upToDate(key);
            if (meanwhile != null) {
                end(key, mine, meanwhile);
            } else {
                bean.subscribe().with(plan -> end(key, mine, new Known(plan, clock.getAsLong() + lifetime)),
                        failure -> {
                            Known last = known.get(key);
                            end(key, mine, last == null ? null
                                    : new Known(last.plan, clock.getAsLong() + Math.min(lifetime, PAUSE)));
                        });
            }
        }
        return CallerContext.switchingToEventLoop(() -> PlainUni.emitter(caller -> lookup.thenAccept(caller::complete)));
    }

    /** Keeps the result before the next call of the bean can begin. */
    private void end(String key, CompletableFuture<Plan> lookup, Known next) {
        lookups.computeIfPresent(key, (ignored, current) -> {
            if (current == lookup && next != null) {
                known.put(key, next);
            }
            return current == lookup ? null : current;
        });
        lookup.complete(next == null ? null : next.plan);
    }

    /** Evicts everything. Calls of the bean that have begun complete, but are not kept. */
    void evictAll() {
        lookups.clear();
        known.clear();
    }

    /** @param until when the bean is called again */
    record Known(Plan plan, long until) {
    }
}
