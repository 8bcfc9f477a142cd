package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/**
 * An override that a client sent: {@code {"limits": {"default": {"permits": 20, "period": "1m"}}, "duration": "1h"}}. A
 * policy with one limit also accepts {@code {"permits": 20}}. What is not given is as configured.
 *
 * @param duration {@code null} for an override that applies until it is removed
 */
record OverrideInput(Map<String, Limit> limits, Duration duration) {

    static OverrideInput of(JsonInput body, Policy policy) {
        List<PolicyLimit> configured = policy.limits();
        Map<String, Limit> limits = new HashMap<>();
        if (body.has("limits")) {
            JsonInput byName = body.only("limits", "duration").object("limits")
                    .only(configured.stream().map(PolicyLimit::name).toArray(String[]::new));
            configured.stream().filter(limit -> byName.has(limit.name())).forEach(limit -> limits.put(limit.name(),
                    changed(limit.limit(), byName.object(limit.name()).only("permits", "period", "burst"))));
        } else if (configured.size() == 1) {
            limits.put(configured.get(0).name(), changed(configured.get(0).limit(),
                    body.only("limits", "permits", "period", "burst", "duration")));
        }
        if (limits.isEmpty()) {
            throw new Problem(400, "limits is missing or empty. Write {\"limits\": {\"" + configured.get(0).name()
                    + "\": {\"permits\": 20}}}. Limits of policy " + policy.name() + ": "
                    + String.join(", ", configured.stream().map(PolicyLimit::name).toList()) + '.');
        }
        return new OverrideInput(limits, body.duration("duration").orElse(null));
    }

    private static Limit changed(Limit limit, JsonInput input) {
        Optional<Long> permits = input.permits("permits");
        Optional<Duration> period = input.duration("period");
        Optional<Long> burst = input.permits("burst");
        if (permits.isEmpty() && period.isEmpty() && burst.isEmpty()) {
            throw new Problem(400, input.place() + "permits is missing. Give permits, period or burst.");
        }
        if (period.isPresent() && limit.period() == null) {
            throw new Problem(400, input.place() + "period has no meaning for this limit. Leave it out.");
        }
        boolean tokens = limit.algorithm().has("burst");
        if (burst.isPresent() && !tokens) {
            throw new Problem(400, input.place() + "burst has no meaning for this limit. Leave it out.");
        }
        try {
            return LimitSpec.of(limit).with(permits.orElse(limit.permits()), period.orElse(limit.period()),
                    burst.orElse(tokens ? permits.orElse(limit.burst()) : limit.burst())).toLimit();
        } catch (IllegalArgumentException outOfRange) {
            throw new Problem(400, input.place() + outOfRange.getMessage() + '.');
        }
    }
}
