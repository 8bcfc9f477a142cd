package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Asks one node of a cluster after the other who has which slot, over a connection for this alone. Runs on one event loop. */
final class SlotsLook {

    /** How many milliseconds one node is given to connect, and to answer. */
    private static final long LONGEST = 500;

    private final ContextInternal loop;
    private final ClusterNodes nodes;
    private LaneConnection node;
    private boolean closed;

    SlotsLook(ContextInternal loop, ClusterNodes nodes) {
        this.loop = loop;
        this.nodes = nodes;
    }

    /** What a node has answered to {@code CLUSTER SLOTS}. */
    record Seen(Response slots, String from) {
    }

    /** Must be called on the loop; fails when none of them answers. */
    Future<Seen> ask(List<String> addresses) {
        Future<Seen> seen = ask(addresses.get(0));
        return addresses.size() == 1 ? seen
                : seen.recover(away -> closed ? seen : ask(addresses.subList(1, addresses.size())));
    }

    private Future<Seen> ask(String address) {
        return new RedisConnector(() -> nodes.client(address)).connect(loop, LONGEST).compose(connected -> {
            node = connected;
            if (closed) {
                leave();
                return loop.failedFuture("The application is stopping");
            }
            Promise<Response> slots = loop.promise();
            long timer = loop.setTimer(LONGEST, ignored -> slots.tryFail(address + " is silent"));
            node.redis().send(Request.cmd(Command.CLUSTER).arg("SLOTS"))
                    .onSuccess(slots::tryComplete).onFailure(slots::tryFail);
            return slots.future().onComplete(done -> {
                loop.owner().cancelTimer(timer);
                leave();
            });
        }).map(slots -> new Seen(slots, address));
    }

    /** Looks no more. */
    void close() {
        closed = true;
        leave();
    }

    private void leave() {
        if (node != null) {
            node.close();
            node = null;
        }
    }
}
