package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.DeniedKey;
import io.smallrye.mutiny.Uni;

/** Stores for all instances which keys of a policy were denied most during the last minute, and which are blocked. */
public interface DenialStore {

    /** Is empty and stores nothing. */
    DenialStore NONE = new DenialStore() {

        @Override
        public Uni<Void> add(String policy, Map<String, Long> denials) {
            return Uni.createFrom().voidItem();
        }

        @Override
        public Uni<List<DeniedKey>> most(String policy, int count) {
            return Uni.createFrom().item(List.of());
        }

        @Override
        public Uni<Void> addBlocked(String policy, Map<String, Long> ends) {
            return Uni.createFrom().voidItem();
        }

        @Override
        public Uni<List<String>> blocked(String policy) {
            return Uni.createFrom().item(List.of());
        }
    };

    /** @param denials how often each key was denied since the last call */
    Uni<Void> add(String policy, Map<String, Long> denials);

    /** The keys denied most, most denied first. */
    Uni<List<DeniedKey>> most(String policy, int count);

    /**
     * Remembers blocked keys: if there are too many, those whose blocks end last.
     *
     * @param ends when the block of each key ends, in microseconds by the clock that decides
     */
    Uni<Void> addBlocked(String policy, Map<String, Long> ends);

    /** The keys whose blocks had not ended when they were added. Some may be unblocked since. */
    Uni<List<String>> blocked(String policy);

    record KeyDenials(String key, long denials) implements DeniedKey {
    }
}
