package io.quarkiverse.ratelimit.runtime.api;

import java.util.function.Function;

import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.smallrye.mutiny.Uni;

/** The caller of one operation of a limiter. */
interface CountedCaller {

    /** Finds the stored form of its key; {@code null} where it has none. */
    Uni<String> key();

    /** Finds out what a decision needs, and decides. The deadline includes resolver beans, but not the authentication. */
    <T> Uni<T> resolve(Function<Resolved, Uni<T>> decision);

    /** Whether {@link #resolve} needs the contexts of the call. */
    boolean needsContexts();

    /**
     * What a decision needs.
     *
     * @param key its stored form; {@code null} where a part is missing and the policy has no substitute
     * @param exempt whether the policy does not limit the caller, whatever its plan is
     * @param plan {@code null} for none
     */
    record Resolved(String key, boolean exempt, Plan plan, Deadline deadline) {
    }
}
