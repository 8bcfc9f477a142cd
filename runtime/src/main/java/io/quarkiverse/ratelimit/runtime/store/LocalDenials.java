package io.quarkiverse.ratelimit.runtime.store;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.runtime.mutiny.PlainUni;
import io.smallrye.mutiny.Uni;

/** Counts the denials of this instance in memory: for each policy a few small maps, which expire within a minute. */
final class LocalDenials implements DenialStore {

    /** One map for each 10 s of the last minute. */
    private static final int MAPS = 6;
    private static final long MICROS = TimeUnit.SECONDS.toMicros(10);
    /** How many keys a map has at most. */
    static final int MAX_KEYS = 300;

    private final LongSupplier clock;
    private final Map<String, NavigableMap<Long, Map<String, Long>>> byPolicy = new HashMap<>();

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
        byPolicy.clear();
    }

    private synchronized Void addNow(String policy, Map<String, Long> denials) {
        Map<String, Long> current = lastMinute(policy).computeIfAbsent(clock.getAsLong() / MICROS, number -> new HashMap<>());
        denials.forEach((key, count) -> current.merge(key, count, Long::sum));
        if (current.size() > MAX_KEYS) {
            sorted(current).skip(MAX_KEYS).map(DeniedKey::key).toList().forEach(current::remove);
        }
        return null;
    }

    private synchronized List<DeniedKey> mostNow(String policy, int count) {
        Map<String, Long> all = new HashMap<>();
        lastMinute(policy).values().forEach(map -> map.forEach((key, denials) -> all.merge(key, denials, Long::sum)));
        return sorted(all).limit(count).toList();
    }

    private NavigableMap<Long, Map<String, Long>> lastMinute(String policy) {
        NavigableMap<Long, Map<String, Long>> maps = byPolicy.computeIfAbsent(policy, name -> new TreeMap<>());
        maps.headMap(clock.getAsLong() / MICROS - MAPS, true).clear();
        return maps;
    }

    private static Stream<DeniedKey> sorted(Map<String, Long> denials) {
        return denials.entrySet().stream().<DeniedKey> map(entry -> new KeyDenials(entry.getKey(), entry.getValue()))
                .sorted(Comparator.comparingLong(DeniedKey::denials).reversed().thenComparing(DeniedKey::key));
    }
}
