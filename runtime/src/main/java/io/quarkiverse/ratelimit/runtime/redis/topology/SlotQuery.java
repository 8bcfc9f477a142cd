package io.quarkiverse.ratelimit.runtime.redis.topology;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Queries one node of a cluster after the other for the map of slots. Runs on one event loop. */
public final class SlotQuery {

    /** Milliseconds that a node may take to connect, and again to reply. */
    private static final long LONGEST = 500;

    private final RedisNodes nodes;
    private final NodeQuery query;

    SlotQuery(EventLoop loop, RedisNodes nodes) {
        this.nodes = nodes;
        this.query = new NodeQuery(loop, LONGEST);
    }

    /** The reply of a node to {@code CLUSTER SLOTS}. */
    record Reply(Response slots, String from) {
    }

    /** Must be called on the loop. Fails if no node replies. */
    Future<Reply> send(List<String> addresses) {
        String address = addresses.get(0);
        Future<Reply> reply = query.send(() -> nodes.client(address), Request.cmd(Command.CLUSTER).arg("SLOTS"))
                .map(slots -> new Reply(slots, address));
        return addresses.size() == 1 ? reply
                : reply.recover(unavailable -> query.isClosed() ? reply : send(addresses.subList(1, addresses.size())));
    }

    /** Sends no more queries. */
    void close() {
        query.close();
    }
}
