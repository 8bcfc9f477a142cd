package io.quarkiverse.ratelimit.runtime.store;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.smallrye.mutiny.Uni;

/** Keeps the denials of the last minute in memory. There are few, as they are added about once per second. */
final class LocalDenials implements DenialStore {

    private static final long MINUTE = TimeUnit.MINUTES.toMicros(1);

    private final LongSupplier clock;
    private final Deque<Denials> lastMinute = new ArrayDeque<>();

    private record Denials(long added, String policy, Map<String, Long> byKey) {
    }

    /** @param clock microseconds */
    LocalDenials(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public Uni<Void> add(String policy, Map<String, Long> denials) {
        return PlainUni.item(() -> addNow(policy, denials));
    }

    @Override
    public Uni<List<DeniedKey>> most(String policy, int count) {
        return PlainUni.item(() -> mostNow(policy, count));
    }

    synchronized void clear() {
        lastMinute.clear();
    }

    private synchronized Void addNow(String policy, Map<String, Long> denials) {
        removeExpired();
        lastMinute.add(new Denials(clock.getAsLong(), policy, denials));
        return null;
    }

    private synchronized List<DeniedKey> mostNow(String policy, int count) {
        removeExpired();
        Map<String, Long> all = new HashMap<>();
        lastMinute.stream().filter(denials -> denials.policy.equals(policy))
                .forEach(denials -> denials.byKey.forEach((key, number) -> all.merge(key, number, Long::sum)));
        return all.entrySet().stream().<DeniedKey> map(entry -> new KeyDenials(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(DeniedKey::denials).reversed().thenComparing(DeniedKey::key))
                .limit(count).toList();
    }

    private void removeExpired() {
        long now = clock.getAsLong();
        lastMinute.removeIf(denials -> denials.added <= now - MINUTE);
    }
}
