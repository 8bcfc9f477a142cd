package io.quarkiverse.ratelimit.runtime.caller;

import java.util.concurrent.atomic.AtomicBoolean;

import org.jboss.logging.Logger;

/**
 * Warns once per policy that an authenticated caller lacks a claim, header or cookie that the policy names. Its name may be
 * wrong, and then all callers count by the substitute.
 */
public final class MissingValueWarning {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final String policy;
    private final AtomicBoolean warned = new AtomicBoolean();

    public MissingValueWarning(String policy) {
        this.policy = policy;
    }

    /**
     * @param value what is missing, in configuration notation, such as {@code claim:tenant}
     * @param property the property of the policy that names it
     * @param effect what happens instead
     */
    public void warn(Caller caller, String value, String property, String effect) {
        if (!warned.get() && caller.isAuthenticated() && warned.compareAndSet(false, true)) {
            LOG.warnf(
                    "An authenticated caller has no %s, which quarkus.rate-limit.policies.%s.%s names, so %s. Correct the name"
                            + " if other callers do not have it either. This is logged once per policy.",
                    value, policy, property, effect);
        }
    }
}
