package io.quarkiverse.ratelimit.runtime.policy;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.runtime.caller.ExemptKeys;
import io.smallrye.common.net.CidrAddress;

/** Decides which callers a policy does not limit: by role, address or key. */
public record Exemptions(List<String> roles, List<CidrAddress> blocks, ExemptKeys keys) {

    public static final Exemptions NONE = new Exemptions(List.of(), List.of(), ExemptKeys.NONE);

    public Exemptions {
        roles = List.copyOf(roles);
        blocks = List.copyOf(blocks);
    }

    public boolean areNone() {
        return roles.isEmpty() && blocks.isEmpty() && keys.areNone();
    }

    public boolean needsIdentity() {
        return !roles.isEmpty();
    }

    /** Whether the policy does not limit this caller, whatever its key is. */
    public boolean apply(Caller caller) {
        for (String role : roles) {
            if (caller.hasRole(role)) {
                return true;
            }
        }
        return !blocks.isEmpty() && caller.isFrom(blocks);
    }
}
