package io.quarkiverse.ratelimit.runtime.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Leases;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.smallrye.mutiny.Uni;

/**
 * Decides a call in several requests if its keys have different slots, because these may lie on different servers, or if two
 * of its chains meet in a policy, because a request must not charge a key twice.
 *
 * @param chains decides a policy and its overflows if they have different slots
 * @param slotKeys returns the text that selects the slot of a policy's key; the same for all keys on one server
 */
public record AcrossSlots(Decider next, Decider chains, Leases leases, Refunds refunds, Fallback fallback,
        Function<KeyedCharge, String> slotKeys)
        implements
            Decider {

    @Override
    public Uni<Outcome> decide(Call call) {
        List<Call> groups = call.charges().size() == 1 ? List.of(call) : groups(call);
        return groups.size() == 1 ? decideGroup(groups.get(0)) : decideOneByOne(groups, call);
    }

    private Uni<Outcome> decideGroup(Call group) {
        return group.request().overflows() && !hasOneSlot(group.charges()) ? chains.decide(group) : next.decide(group);
    }

    /** Decides one group after the other. When a later group is denied, the earlier ones are refunded. */
    private Uni<Outcome> decideOneByOne(List<Call> groups, Call call) {
        Uni<Outcome> outcome = Uni.createFrom().item(Outcome.NOT_LIMITED);
        for (Call group : groups) {
            outcome = outcome.chain(before -> before.isDenied() ? Uni.createFrom().item(before)
                    : decideGroup(group).chain(decided -> joined(before, decided, group)));
        }
        return outcome.onFailure().recoverWithItem(failure -> fallback.recover(call, failure));
    }

    private Uni<Outcome> joined(Outcome before, Outcome decided, Call group) {
        return !decided.isDenied() ? Uni.createFrom().item(before.and(decided))
                // only a lease releases concurrency permits; all groups have the id of the call
                : refunds.refund(leases.begin(group, before), group.deadline())
                        .replaceWith(() -> before.uncharged().and(decided));
    }

    /**
     * Groups the policies with equal keys, which share a slot. A policy and its overflows are a group of their own if their
     * keys differ, or if they meet another chain. The groups that can deny the call come first.
     */
    private List<Call> groups(Call call) {
        Map<String, List<KeyedCharge>> bySlotKey = new LinkedHashMap<>();
        chains(call).stream().sorted(Comparator.comparing(chain -> chain.get(0).charge().shadow()))
                .forEach(chain -> {
                    String group = hasOneSlot(chain) ? slotKeys.apply(chain.get(0)) : chain.get(0).first() + "  ";
                    while (meet(bySlotKey.getOrDefault(group, List.of()), chain)) {
                        group += '\n';
                    }
                    bySlotKey.computeIfAbsent(group, ignored -> new ArrayList<>(1)).addAll(chain);
                });
        return bySlotKey.values().stream().map(charges -> new Call(call.id(), charges, call.deadline())).toList();
    }

    private static boolean meet(List<KeyedCharge> group, List<KeyedCharge> chain) {
        return group.stream().anyMatch(keyed -> chain.stream().anyMatch(other -> other.name().equals(keyed.name())));
    }

    /** Returns each policy with its overflows. */
    private static List<List<KeyedCharge>> chains(Call call) {
        List<List<KeyedCharge>> chains = new ArrayList<>(call.charges().size());
        for (KeyedCharge keyed : call.charges()) {
            if (!keyed.isOverflow()) {
                chains.add(new ArrayList<>(1));
            }
            chains.get(chains.size() - 1).add(keyed);
        }
        return chains;
    }

    private boolean hasOneSlot(List<KeyedCharge> charges) {
        return charges.stream().filter(keyed -> !keyed.charge().isWithoutLimits()).map(slotKeys).distinct()
                .count() == 1;
    }

    /** Returns the text that selects the slot in a cluster. The blank keeps the name of a policy apart from a key. */
    public static String slotKey(KeyedCharge keyed) {
        return keyed.key().isEmpty() ? keyed.policy().name() + ' ' : keyed.key();
    }
}
