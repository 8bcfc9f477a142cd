package io.quarkiverse.ratelimit.runtime.store.memory;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.smallrye.mutiny.Uni;

/**
 * Keeps the denials of the last minute in memory. There are few, as they are added about once per second.
 *
 * @param clock microseconds
 */
record LocalDenials(LongSupplier clock, Queue<Denials> lastMinute) implements DenialStore {

    private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

    record Denials(long added, String policy, long total, Map<String, Long> byKey) {
    }

    LocalDenials(LongSupplier clock) {
        this(clock, new ConcurrentLinkedQueue<>());
    }

    @Override
    public Uni<Void> add(String policy, long total, Map<String, Long> denials) {
        return PlainUni.item(() -> {
            removeExpired();
            lastMinute.add(new Denials(clock.getAsLong(), policy, total, denials));
            return null;
        });
    }

    @Override
    public Uni<List<DeniedKey>> most(String policy, int count) {
        return PlainUni.item(() -> {
            Map<String, Long> all = new HashMap<>();
            ofPolicy(policy).forEach(denials -> denials.byKey.forEach((key, number) -> all.merge(key, number, Long::sum)));
            return all.entrySet().stream().<DeniedKey> map(entry -> new KeyDenials(policy, entry.getKey(), entry.getValue()))
                    .sorted(Comparator.comparingLong(DeniedKey::denials).reversed().thenComparing(DeniedKey::key))
                    .limit(count).toList();
        });
    }

    @Override
    public Uni<Long> total(String policy) {
        return PlainUni.item(() -> ofPolicy(policy).mapToLong(Denials::total).sum());
    }

    private Stream<Denials> ofPolicy(String policy) {
        removeExpired();
        return lastMinute.stream().filter(denials -> denials.policy.equals(policy));
    }

    private void removeExpired() {
        long now = clock.getAsLong();
        lastMinute.removeIf(denials -> denials.added <= now - MINUTE || denials.added > now);
    }
}
