package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Reads the limits of an override. */
final class OverrideBody {

    private OverrideBody() {
    }

    /**
     * Returns the limits of an override that a client sent: {@code {"limits": {"default": {"permits": 20, "period":
     * "1m"}}}}. A policy with one limit also accepts {@code {"permits": 20}}. What is not given is as configured.
     */
    static Map<String, Limit> limits(Policy policy, JsonInput body) {
        List<String> names = policy.limits().stream().map(PolicyLimit::name).toList();
        Map<String, Limit> changed = new HashMap<>();
        if (body.has("limits")) {
            JsonInput byName = body.only("limits", "duration", "reason").object("limits").only(names.toArray(String[]::new));
            policy.limits().stream().filter(limit -> byName.has(limit.name())).forEach(limit -> changed.put(limit.name(),
                    changed(limit.limit(), byName.object(limit.name()).only("permits", "period", "burst"))));
        } else if (names.size() == 1) {
            changed.put(names.get(0), changed(policy.limits().get(0).limit(),
                    body.only("limits", "permits", "period", "burst", "duration", "reason")));
        }
        if (changed.isEmpty()) {
            throw new Problem(400, "limits is missing or empty. Write {\"limits\": {\"" + names.get(0)
                    + "\": {\"permits\": 20}}}. Limits of policy " + policy.name() + ": " + String.join(", ", names) + '.');
        }
        return changed;
    }

    private static Limit changed(Limit limit, JsonInput input) {
        Optional<Long> permits = input.permits("permits");
        Optional<Duration> period = input.duration("period");
        Optional<Long> burst = input.permits("burst");
        boolean tokens = limit.algorithm().has("burst");
        if (permits.isEmpty() && period.isEmpty() && burst.isEmpty()) {
            throw new Problem(400, input.place() + "permits is missing. Give permits, period or burst.");
        }
        if (period.isPresent() && limit.period() == null || burst.isPresent() && !tokens) {
            throw new Problem(400, input.place() + (burst.isPresent() && !tokens ? "burst" : "period")
                    + " has no meaning for this limit. Leave it out.");
        }
        try {
            return LimitSpec.with(limit, permits.orElse(limit.permits()), period.orElse(limit.period()),
                    burst.orElse(tokens ? permits.orElse(limit.burst()) : limit.burst()));
        } catch (IllegalArgumentException outOfRange) {
            throw new Problem(400, input.place() + outOfRange.getMessage() + '.');
        }
    }
}
