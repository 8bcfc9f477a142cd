package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.DeniedKey;
import io.smallrye.mutiny.Uni;

/** Stores for all instances which keys of a policy were denied most during the last minute. */
public interface DenialStore {

    /** @param denials how often each key was denied since the last call */
    Uni<Void> add(String policy, Map<String, Long> denials);

    /** The keys denied most, most denied first. */
    Uni<List<DeniedKey>> most(String policy, int count);

    record KeyDenials(String key, long denials) implements DeniedKey {
    }
}
