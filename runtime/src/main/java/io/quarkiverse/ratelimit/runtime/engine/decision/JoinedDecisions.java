package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;

/** Joins the decisions for one request where several entry points decide it, such as a route and then the method. */
public final class JoinedDecisions {

    private JoinedDecisions() {
    }

    /** The decisions of both outcomes for a request, without those in shadow mode and without the leases. */
    public static Outcome enforced(Outcome earlier, Outcome later) {
        List<Decision> all = new ArrayList<>(earlier.decisions());
        all.addAll(later.decisions());
        return new Outcome(all);
    }

    /** One decision for each policy: the last one, with the limits that only earlier ones have counted. */
    public static Outcome byPolicy(Outcome all) {
        Map<String, Decision> last = new LinkedHashMap<>();
        for (Decision decision : all.decisions()) {
            Decision earlier = last.remove(decision.policy());
            last.put(decision.policy(), earlier == null ? decision : joined(earlier, decision));
        }
        return new Outcome(List.copyOf(last.values()));
    }

    /**
     * The later decision with all limits of the policy: a route charges them all, then the method charges only what is left
     * of the cost. A later decision without limits was not counted, and stays as it is.
     */
    private static Decision joined(Decision earlier, Decision later) {
        List<LimitState> all = new ArrayList<>(later.limits());
        for (LimitState early : earlier.limits()) {
            if (later.limits().stream().noneMatch(own -> own.limit().equals(early.limit()))) {
                all.add(early);
            }
        }
        if (later.limits().isEmpty() || all.size() == later.limits().size()) {
            return later;
        }
        all.sort(Comparator.comparing(LimitState::limit));
        Details own = later.calculation().details();
        // the policy with all its limits, as headers name a limit by their number
        return new Decision(earlier.appliedPolicy(), later.key(), later.allowed(), later.granted(), later.source(), later.id(),
                new Details(own.limit(), own.permits(), own.remaining(), own.delay(), own.retryAfter(), own.resetAfter(), all,
                        own.reason(), own.decidedAt()));
    }
}
