package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.redis.KeySlot;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Maps slots of a cluster to masters, for all event loops. */
public final class ClusterSlots {

    private static final long REFRESH_PAUSE = TimeUnit.MILLISECONDS.toNanos(200);
    /** Host that a node reports if it is configured to report its host name and has none. */
    private static final String UNKNOWN = "?";

    private final AtomicReferenceArray<String> owners = new AtomicReferenceArray<>(KeySlot.SLOTS);
    /** Outages of existing queues. */
    private final Set<Outage> outages = Collections.newSetFromMap(new WeakHashMap<>());
    private final AtomicLong nextRefresh = new AtomicLong(System.nanoTime());
    private final RedisNodes clients;
    private final List<String> seeds;
    private volatile List<String> nodes;
    private volatile Set<String> masters = Set.of();

    ClusterSlots(RedisNodes clients) {
        this.clients = clients;
        this.seeds = clients.seeds();
        this.nodes = seeds;
    }

    /** Returns the address of the master of the slot if known, else of any node. That node redirects the request. */
    String master(int slot) {
        String owner = owners.get(slot);
        return owner != null ? owner : masters.isEmpty() ? nodes.get(0) : masters.iterator().next();
    }

    void moved(int slot, String address) {
        owners.set(slot, address);
    }

    Set<String> masters() {
        return masters;
    }

    /** Returns the outage that all queues to this node share, also when the node is a master again. */
    synchronized Outage outage(String address) {
        return outages.stream().filter(outage -> outage.address().equals(address)).findFirst().orElseGet(() -> {
            Outage outage = new Outage(address);
            outages.add(outage);
            return outage;
        });
    }

    synchronized List<UnavailableNode> unavailable() {
        return outages.stream().map(Outage::unavailable).flatMap(Optional::stream)
                .filter(node -> masters.isEmpty() || masters.contains(node.address()))
                .sorted(Comparator.comparing(UnavailableNode::address)).toList();
    }

    /** Returns whether it is time to refresh the map of slots. Only one of several concurrent callers gets {@code true}. */
    boolean mayRefresh() {
        long now = System.nanoTime();
        long next = nextRefresh.get();
        return now - next >= 0 && nextRefresh.compareAndSet(next, now + REFRESH_PAUSE);
    }

    /**
     * Queries the nodes for the map of slots, in random order, because a node may hang or be cut off from the others. Must be
     * called on the loop. Fails if no node replies.
     */
    Future<Void> refresh(EventLoop loop) {
        List<String> shuffled = new ArrayList<>(nodes);
        Collections.shuffle(shuffled);
        return RedisNodes.firstOf(shuffled, node -> RedisConnector.to(() -> clients.client(node))
                .query(loop, Request.cmd(Command.CLUSTER).arg("SLOTS"))
                .map(slots -> {
                    update(slots, node);
                    return null;
                }));
    }

    private synchronized void update(Response slots, String from) {
        Set<String> all = new LinkedHashSet<>(seeds);
        Set<String> seen = new HashSet<>();
        for (Response range : slots) {
            String owner = address(range.get(2), from);
            seen.add(owner);
            for (int slot = range.get(0).toInteger(); slot <= range.get(1).toInteger(); slot++) {
                owners.set(slot, owner);
            }
            for (int node = 2; node < range.size(); node++) {
                all.add(address(range.get(node), from));
            }
        }
        nodes = List.copyOf(all);
        if (!seen.isEmpty() && !seen.equals(masters)) {
            masters = Set.copyOf(seen);
            outages.stream().filter(outage -> !seen.contains(outage.address())).forEach(Outage::replaced);
        }
    }

    private static String address(Response node, String from) {
        return address(node.get(0) == null ? "" : node.get(0).toString(), node.get(1).toString(), from);
    }

    /**
     * Returns the address of a node.
     *
     * @param host may be empty or unknown; the host of {@code from} then applies
     */
    static String address(String host, String port, String from) {
        return (host.isEmpty() || host.equals(UNKNOWN) ? from.substring(0, from.lastIndexOf(':')) : host) + ':' + port;
    }
}
