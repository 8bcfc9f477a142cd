package io.quarkiverse.ratelimit.runtime.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.jboss.logging.Logger;

import io.vertx.core.impl.ContextInternal;

/**
 * Has a lane for every master of a cluster, and soon none for others; looks who has which slot. All of it runs on one
 * event loop.
 */
final class MasterLanes {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long CLOSING_PAUSE = 100;

    private final ContextInternal loop;
    private final ClusterSlots slots;
    private final SlotsLook look;
    private final Function<String, Lane> made;
    private final Map<String, Lane> lanes = new HashMap<>();
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private Set<String> masters = Set.of();
    private boolean opening, looking, closed;
    private volatile boolean opened;

    /** @param made makes the lane of an address */
    MasterLanes(ContextInternal loop, RedisNodes nodes, ClusterSlots slots, Function<String, Lane> made) {
        this.loop = loop;
        this.slots = slots;
        this.look = new SlotsLook(loop, nodes);
        this.made = made;
    }

    Lane at(String address) {
        return lanes.computeIfAbsent(address, made);
    }

    /** The lane of the master that has the slot, as far as it is known. */
    Lane of(int slot) {
        if (!masters.equals(slots.masters())) {
            adjust();
        }
        Lane lane = at(slots.master(slot));
        if (lane.isAway()) {
            look();
        }
        return lane;
    }

    /** Looks who has which slot, unless somebody just did. */
    void look() {
        if (!looking && !closed && slots.mayLook()) {
            lookNow();
        }
    }

    private void lookNow() {
        looking = true;
        look.ask(slots.nodes()).onComplete(seen -> {
            looking = false;
            if (seen.succeeded()) {
                slots.saw(seen.result().slots(), seen.result().from());
                adjust();
            } else {
                LOG.debugf("No node of the cluster says who has which slot: %s", seen.cause().getMessage());
                settled.complete(null);
            }
        });
    }

    private void adjust() {
        masters = slots.masters();
        if (!closed) {
            CompletableFuture.allOf(masters.stream().map(address -> at(address).open().toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new)).thenRun(() -> {
                        opened = true;
                        settled.complete(null);
                    });
            closeOthers();
        }
    }

    private void closeOthers() {
        lanes.entrySet().removeIf(lane -> !masters.contains(lane.getKey()) && lane.getValue().closeIfIdle());
        if (!closed && !masters.containsAll(lanes.keySet())) {
            loop.setTimer(CLOSING_PAUSE, ignored -> closeOthers());
        }
    }

    /** Connects to all masters; completes when that is done, or none can be found. To be repeated until it has opened. */
    CompletionStage<Void> open() {
        if (!opening && !closed) {
            opening = true;
            lookNow();
        } else if (!opened) {
            look();
        }
        return settled;
    }

    /** Whether that has been done. */
    boolean hasOpened() {
        return opened;
    }

    boolean areClosed() {
        return closed;
    }

    void close() {
        closed = true;
        look.close();
        lanes.values().forEach(Lane::close);
        settled.complete(null);
    }
}
