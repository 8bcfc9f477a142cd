package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.DeniedKey;
import io.smallrye.mutiny.Uni;

/** Stores for all instances which keys of a policy were denied most during the last minute. */
public interface DenialStore {

    /**
     * @param total how often all keys were denied since the last call
     * @param denials how often each key was denied
     */
    Uni<Void> add(String policy, long total, Map<String, Long> denials);

    /** Returns the keys denied most, most denied first. */
    Uni<List<DeniedKey>> most(String policy, int count);

    /** Returns how often all keys were denied. */
    Uni<Long> total(String policy);

    record KeyDenials(String policy, String key, long denials) implements DeniedKey {
    }
}
