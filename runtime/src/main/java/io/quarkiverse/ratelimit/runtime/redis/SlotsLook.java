package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

import io.vertx.core.Future;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Asks one node of a cluster after the other who has which slot. Runs on one event loop. */
final class SlotsLook {

    /** How many milliseconds one node is given to connect, and to answer. */
    private static final long LONGEST = 500;

    private final RedisNodes nodes;
    private final Inquiry inquiry;

    SlotsLook(ContextInternal loop, RedisNodes nodes) {
        this.nodes = nodes;
        this.inquiry = new Inquiry(loop, LONGEST);
    }

    /** What a node has answered to {@code CLUSTER SLOTS}. */
    record Seen(Response slots, String from) {
    }

    /** Must be called on the loop; fails when none of them answers. */
    Future<Seen> ask(List<String> addresses) {
        String address = addresses.get(0);
        Future<Seen> seen = inquiry.ask(() -> nodes.client(address), Request.cmd(Command.CLUSTER).arg("SLOTS"))
                .map(slots -> new Seen(slots, address));
        return addresses.size() == 1 ? seen
                : seen.recover(away -> inquiry.isClosed() ? seen : ask(addresses.subList(1, addresses.size())));
    }

    /** Looks no more. */
    void close() {
        inquiry.close();
    }
}
