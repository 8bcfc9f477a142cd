package io.quarkiverse.ratelimit.runtime.engine.events;

import io.quarkiverse.ratelimit.runtime.policy.Policy;

/** What a policy did to a call, in ascending order of importance. */
public enum Effect {
    /** The policy does not limit the caller. */
    EXEMPT,
    ALLOWED,
    /** The call was allowed, but the policy would have denied it if it were not in shadow mode. */
    SHADOW_DENIED,
    DENIED;

    private final String text = Policy.written(this);

    /** The name in metrics, traces and the Dev UI. */
    public String text() {
        return text;
    }
}
