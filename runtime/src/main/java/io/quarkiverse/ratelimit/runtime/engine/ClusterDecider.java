package io.quarkiverse.ratelimit.runtime.engine;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/** Decides policies whose keys have different slots, as keys may lie on different servers, in several requests. */
public record ClusterDecider(StoreDecider single, Refunds refunds) implements Decider {

    @Override
    public Uni<Outcome> decide(Call call, Deadline deadline, Observers observers) {
        List<Call> groups = call.charges().size() == 1 ? List.of(call) : groups(call);
        return groups.size() == 1 ? single.decide(call, deadline, observers)
                : decideOneByOne(groups, call, deadline, observers);
    }

    /** When a later group is denied, the earlier ones are refunded. */
    private Uni<Outcome> decideOneByOne(List<Call> groups, Call call, Deadline deadline, Observers observers) {
        Uni<Outcome> outcome = Uni.createFrom().item(Outcome.NOT_LIMITED);
        for (Call group : groups) {
            outcome = outcome.chain(before -> before.isDenied() ? Uni.createFrom().item(before)
                    : single.decide(group, deadline, Observers.NONE).chain(next -> joined(before, next, group, deadline)));
        }
        return outcome.onFailure().recoverWithItem(mistake -> single.fallBack(call, mistake))
                .invoke(result -> observers.notifyOf(result, call.exempt()));
    }

    private Uni<Outcome> joined(Outcome before, Outcome next, Call group, Deadline deadline) {
        return !next.isDenied() ? Uni.createFrom().item(before.and(next))
                // only a lease releases concurrency permits; all groups have the id of the call
                : refunds.refund(single.leases().begin(group, before), deadline)
                        .replaceWith(() -> before.uncharged().and(next));
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
