package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.decision.DenialCache;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome.CallStore;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.refunds.LeaseRenewal;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.redis.connection.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call: by the denial cache, else in Redis, else by the fallback; or only in memory, without Redis.
 *
 * @param sharded whether keys may lie on different servers, as in a cluster. Policies whose keys have different slots are then
 *        decided in several requests.
 */
public record Decider(CallStore store, boolean sharded, DenialCache denials, Fallback fallback, LeaseRenewal leases,
        Refunds refunds, FailureLog mistakes) {

    /**
     * Creates a store of calls that counts each call by one request to this store.
     *
     * @param source {@code REDIS} or {@code MEMORY}, where the store counts
     */
    public static CallStore counting(LimitStore store, Source source) {
        return (call, deadline) -> PlainUni.map(store.decide(call.request(), deadline),
                reply -> Outcome.of(call, reply, source));
    }

    /**
     * Decides without blocking and before the deadline. Fails only after a mistake in the code of the fallback. Must be
     * subscribed to only once, as each subscription charges the call. The outcome has no lease.
     *
     * @param observers are notified before the outcome is emitted; for a cached denial, before this method returns, because
     *        an operator would cost more
     */
    Uni<Outcome> decide(Call call, Deadline deadline, Observers observers) {
        if (sharded && call.charges().size() > 1) {
            List<Call> groups = groups(call);
            if (groups.size() > 1) {
                return decideOneByOne(groups, call, deadline, observers);
            }
        }
        long began = denials.now();
        Outcome repeated = denials.denial(call, began);
        if (repeated != null) {
            observers.notifyOf(repeated, call.exempt());
            return PlainUni.item(repeated);
        }
        return PlainUni.mapItemOrFailure(store.decide(call, deadline), (counted, failure) -> {
            Outcome outcome = failure == null ? counted : fallBack(call, failure);
            denials.record(call, outcome, began);
            observers.notifyOf(outcome, call.exempt());
            return outcome;
        });
    }

    private Outcome fallBack(Call call, Throwable failure) {
        mistakes.failedUnlessRedis(failure);
        boolean mayBeCounted = !(failure instanceof RedisStoreException ofRedis) || ofRedis.mayBeCounted();
        if (mayBeCounted) {
            leases.releaseUnanswered(call);
        }
        return fallback.decide(call);
    }

    /** Decides a call in several requests. When a later one is denied, the earlier ones are refunded. */
    private Uni<Outcome> decideOneByOne(List<Call> groups, Call call, Deadline deadline, Observers observers) {
        Uni<Outcome> outcome = Uni.createFrom().item(Outcome.NOT_LIMITED);
        for (Call group : groups) {
            outcome = outcome.chain(before -> before.isDenied() ? Uni.createFrom().item(before)
                    : decide(group, deadline, Observers.NONE).chain(next -> joined(before, next, group, deadline)));
        }
        return outcome.onFailure().recoverWithItem(mistake -> fallBack(call, mistake))
                .invoke(result -> observers.notifyOf(result, call.exempt()));
    }

    private Uni<Outcome> joined(Outcome before, Outcome next, Call group, Deadline deadline) {
        return !next.isDenied() ? Uni.createFrom().item(before.and(next))
                // only a lease releases concurrency permits; all groups have the id of the call
                : refunds.refund(leases.begin(group, before), deadline).replaceWith(() -> before.uncharged().and(next));
    }

    /** Groups the policies with equal keys, which share a slot. The groups that can deny the call come first. */
    private static List<Call> groups(Call call) {
        Map<String, Call> bySlotKey = new LinkedHashMap<>();
        call.charges().stream().sorted(Comparator.comparing(keyed -> keyed.charge().shadow))
                .forEach(keyed -> bySlotKey.computeIfAbsent(slotKey(keyed), ignored -> new Call(call.id()))
                        .add(keyed.charge(), keyed.key()));
        return List.copyOf(bySlotKey.values());
    }

    /** The text that selects the slot. The blank keeps the name of a policy apart from a key. */
    private static String slotKey(KeyedCharge keyed) {
        return keyed.key().isEmpty() ? keyed.policy().name() + ' ' : keyed.key();
    }
}
