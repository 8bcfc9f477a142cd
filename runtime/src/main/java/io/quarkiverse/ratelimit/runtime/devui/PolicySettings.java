package io.quarkiverse.ratelimit.runtime.devui;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Lists the properties of one policy with their values and sources. */
final class PolicySettings {

    private static final String ROOT = "quarkus.rate-limit.";

    private final Policy policy;
    private final PropertySources sources;
    private final String path;
    private final List<ShownSetting> all = new ArrayList<>();

    PolicySettings(Policy policy, PropertySources sources) {
        this.policy = policy;
        this.sources = sources;
        this.path = ROOT + "policies." + policy.name() + ".";
    }

    List<ShownSetting> list() {
        for (PolicyLimit limit : policy.limits()) {
            addLimit(place(limit), limit.limit());
        }
        add("key", policy.key() == null ? "given by the call" : policy.key());
        add("missing-key", Notation.of(policy.missingKey()));
        addOnRedisFailure();
        add("mode", Notation.of(policy.mode()));
        add("enabled", policy.enabled());
        add("denial-cache", Notation.of(policy.denialCache()));
        if (!policy.prefetch().isOff()) {
            add("prefetch", policy.prefetch().permits());
            add("prefetch-time", Notation.of(policy.prefetch().time()));
        }
        for (String text : List.of("count-when", "exempt-roles", "exempt-ips", "plan", "plan-cache", "plan-order")) {
            if (sources.isGiven(path + text)) {
                add(text, sources.text(path + text).strip());
            }
        }
        addPenalty();
        policy.plans().inOrder().forEach(this::addPlan);
        return all;
    }

    /** The path of a limit's properties below the policy. It is empty if the policy itself has the properties. */
    private String place(PolicyLimit limit) {
        String place = "limits." + limit.name() + ".";
        return sources.isGiven(path + place + "permits") ? place : "";
    }

    private void addLimit(String place, Limit limit) {
        boolean tokens = limit.algorithm() == Algorithm.TOKEN_BUCKET;
        add(place + "algorithm", Notation.of(limit.algorithm()));
        add(place + "permits", limit.permits());
        if (limit.calendar() != null) {
            add(place + "calendar", Notation.of(limit.calendar()));
            add(place + "zone", Notation.of(limit.zone()));
        } else if (limit.period() != null) {
            add(place + "period", Notation.of(limit.period()));
        }
        if (tokens) {
            add(place + "burst", limit.burst());
            add(place + "refill", Notation.of(limit.refill()));
        }
        if (tokens || limit.algorithm() == Algorithm.LEAKY_BUCKET) {
            add(place + "max-wait", Notation.of(limit.maxWait()));
        }
        if (limit.leaseTime() != null) {
            add(place + "lease-time", Notation.of(limit.leaseTime()));
        }
        if (limit.counts() != Counts.COST) {
            add(place + "counts", Notation.of(limit.counts()));
        }
    }

    private void addPenalty() {
        Penalty penalty = policy.penalty();
        if (penalty != null) {
            add("penalty.after", penalty.after());
            add("penalty.within", Notation.of(penalty.within()));
            add("penalty.block", Notation.of(penalty.block()));
            add("penalty.max-block", Notation.of(penalty.maxBlock()));
        }
    }

    private void addPlan(Plan plan) {
        String place = "plans." + plan.name() + ".";
        if (plan.unlimited()) {
            add(place + "unlimited", true);
        }
        for (PolicyLimit limit : plan.limits()) {
            String own = place + place(limit);
            add(own + "permits", limit.limit().permits());
            if (limit.limit().period() != null) {
                add(own + "period", Notation.of(limit.limit().period()));
            }
            if (limit.limit().algorithm() == Algorithm.TOKEN_BUCKET) {
                add(own + "burst", limit.limit().burst());
            }
        }
    }

    /** Adds the value of the policy, or the global value. */
    private void addOnRedisFailure() {
        String name = "on-redis-failure";
        String origin = sources.isGiven(path + name) || !sources.isGiven(ROOT + name) ? sources.of(path + name)
                : sources.of(ROOT + name) + ", for all policies";
        all.add(new ShownSetting(name, Notation.of(policy.onRedisFailure()), origin));
    }

    private void add(String property, Object value) {
        all.add(new ShownSetting(property, value.toString(), sources.of(path + property)));
    }
}
