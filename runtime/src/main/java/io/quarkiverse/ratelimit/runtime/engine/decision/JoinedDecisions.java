package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

    /** One decision for each policy: the last one. */
    public static Outcome byPolicy(Outcome all) {
        Map<String, Decision> last = new LinkedHashMap<>();
        for (Decision decision : all.decisions()) {
            last.remove(decision.policy());
            last.put(decision.policy(), decision);
        }
        return new Outcome(List.copyOf(last.values()));
    }
}
