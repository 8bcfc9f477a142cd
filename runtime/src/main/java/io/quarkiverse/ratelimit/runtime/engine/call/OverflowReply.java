package io.quarkiverse.ratelimit.runtime.engine.call;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome.Lease;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * Turns the reply to a call with overflows into its outcome, with one decision for each policy and its overflows.
 *
 * @param decided decisions of policies that the request does not contain, because {@code on-redis-failure} has made them
 */
public record OverflowReply(Call call, StoreReply reply, Source source, Map<KeyedCharge, Decision> decided) {

    /** One policy of the call, and the position of its first operation in the reply. */
    private record Position(KeyedCharge keyed, int first) {
    }

    /** @param all the policies of the call in their order, also those that are decided */
    public Outcome outcome(List<KeyedCharge> all) {
        List<List<Position>> chains = chains(all);
        boolean allowed = chains.stream().allMatch(this::isAllowed);
        List<Decision> decisions = new ArrayList<>(), shadows = new ArrayList<>(0);
        for (List<Position> chain : chains) {
            KeyedCharge first = chain.get(0).keyed;
            if (first.first() == null) {
                (first.charge().shadow() ? shadows : decisions).add(decision(chain.get(0), allowed));
            } else {
                decisions.add(Decision.ofChain(asked(chain).stream().map(asked -> decision(asked, allowed)).toList()));
            }
        }
        return new Outcome(List.copyOf(decisions), List.copyOf(shadows), Lease.NONE);
    }

    private List<List<Position>> chains(List<KeyedCharge> all) {
        List<List<Position>> chains = new ArrayList<>();
        int position = 0;
        for (KeyedCharge keyed : all) {
            // a request to one slot may begin with an overflow
            if (chains.isEmpty() || !keyed.isOverflow()) {
                chains.add(new ArrayList<>(1));
            }
            chains.get(chains.size() - 1).add(new Position(keyed, position));
            position += decided.containsKey(keyed) ? 0 : keyed.charge().storedNames().size();
        }
        return chains;
    }

    /** Returns the policies of a chain up to the one that allows the call, or only the first if it denies for all of them. */
    private List<Position> asked(List<Position> chain) {
        if (isBlocked(chain)) {
            return chain.subList(0, 1);
        }
        for (int i = 0; i < chain.size(); i++) {
            if (allows(chain.get(i))) {
                return chain.subList(0, i + 1);
            }
        }
        return chain;
    }

    /** Returns whether the first policy was blocked, so that the store has asked no other one. */
    private boolean isBlocked(List<Position> chain) {
        Position first = chain.get(0);
        return !first.keyed.isOverflow() && !allows(first) && !decided.containsKey(first.keyed)
                && !first.keyed.charge().blockedFor(reply, first.first).isZero()
                && chain.stream().skip(1).noneMatch(next -> !decided.containsKey(next.keyed)
                        && next.keyed.charge().isAsked(reply, next.first));
    }

    private boolean isAllowed(List<Position> chain) {
        List<Position> asked = asked(chain);
        return allows(asked.get(asked.size() - 1));
    }

    private boolean allows(Position position) {
        Decision known = decided.get(position.keyed);
        return known != null ? known.allowed()
                : position.keyed.charge().allowsAlways() || position.keyed.charge().allowedBy(reply, position.first);
    }

    private Decision decision(Position position, boolean callAllowed) {
        KeyedCharge keyed = position.keyed;
        Decision known = decided.get(keyed);
        if (known != null) {
            return known;
        }
        if (keyed.charge().isWithoutLimits()) {
            return Decision.uncounted(keyed.policy(), keyed.key(), keyed.charge().requested().cost(), Source.NOT_LIMITED, null);
        }
        Decision decision = Decision.of(keyed, reply, position.first, callAllowed, source, call.id(), 0);
        return keyed.isOverflow() && keyed.charge().shadow() ? decision.inShadow() : decision;
    }
}
