package io.quarkiverse.ratelimit.runtime.redis;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.vertx.redis.client.Response;

/** Knows for all event loops which master of a cluster has which slot. */
final class ClusterSlots {

    private static final int SLOTS = 16384;
    private static final long LOOK_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicReferenceArray<String> masters = new AtomicReferenceArray<>(SLOTS);
    private final Map<String, Outage> outages = new ConcurrentHashMap<>();
    private final AtomicLong nextLook = new AtomicLong(System.nanoTime());
    private final List<String> seeds;
    private volatile Set<String> nodes;

    ClusterSlots(List<String> seeds) {
        this.seeds = seeds;
        this.nodes = Set.copyOf(seeds);
    }

    /** The address of the slot's master, as far as it is known; else of any node, which knows it. */
    String master(int slot) {
        String master = masters.get(slot);
        return master == null ? seeds.get(0) : master;
    }

    void moved(int slot, String address) {
        masters.set(slot, address);
    }

    /** Addresses that are or may be masters of the cluster. */
    Set<String> nodes() {
        return nodes;
    }

    Outage outage(String address) {
        return outages.computeIfAbsent(address, Outage::new);
    }

    /** Whether it is time to look again who has which slot; one of all who ask may. */
    boolean mayLook() {
        long now = System.nanoTime();
        long next = nextLook.get();
        return now - next >= 0 && nextLook.compareAndSet(next, now + LOOK_PAUSE);
    }

    /**
     * Notes what a node has answered to {@code CLUSTER SLOTS}.
     *
     * @param host where it was asked, which it may leave out
     */
    void saw(Response slots, String host) {
        Set<String> seen = new HashSet<>(seeds);
        for (Response range : slots) {
            Response master = range.get(2);
            String address = address(master.get(0) == null ? "" : master.get(0).toString(), master.get(1).toString(), host);
            seen.add(address);
            for (int slot = range.get(0).toInteger(); slot <= range.get(1).toInteger(); slot++) {
                masters.set(slot, address);
            }
        }
        nodes = Set.copyOf(seen);
    }

    /** @param known the host that is meant by none */
    static String address(String host, String port, String known) {
        return (host.isEmpty() ? known : host) + ':' + port;
    }
}
