package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.ScriptConnection;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Finds the current master. It queries one node after the other for the address of the master, and then checks the role of
 * that master, if the user may query it. While the master is in use, it looks for a new one twice a second, and all queues then
 * move to it. This is necessary because a replaced master may continue to reply for ten seconds.
 */
public final class MasterDiscovery implements RedisConnector {

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    private final RedisNodes nodes;
    private final Request request;
    /** Returns the address of the master in the reply of the node at an address. */
    private final BiFunction<Response, String, String> masterAddress;
    /** Nodes whose last query did not lead to the master. */
    private final Set<String> unsuccessful = ConcurrentHashMap.newKeySet();
    private final AtomicLong nextCheck = new AtomicLong(System.nanoTime());
    private volatile String current;

    private MasterDiscovery(RedisNodes nodes, Request request, BiFunction<Response, String, String> masterAddress) {
        this.nodes = nodes;
        this.request = request;
        this.masterAddress = masterAddress;
    }

    /**
     * Queries sentinels.
     *
     * @param name the name of the master in the configuration of the sentinels
     */
    public static MasterDiscovery bySentinels(RedisNodes sentinels, String name) {
        return new MasterDiscovery(sentinels,
                Request.cmd(Command.SENTINEL).arg("GET-MASTER-ADDR-BY-NAME").arg(name), (reply, from) -> {
                    if (reply == null) {
                        throw new RedisStoreException("The sentinel at " + from + " has no master of the name " + name);
                    }
                    return ClusterSlots.address(reply.get(0).toString(), reply.get(1).toString(), from);
                });
    }

    public static MasterDiscovery amongReplicas(RedisNodes nodes) {
        return new MasterDiscovery(nodes, Request.cmd(Command.ROLE), (role, from) -> isMaster(role) ? from
                : ClusterSlots.address(role.get(1).toString(), role.get(2).toString(), from));
    }

    @Override
    public Future<Endpoint> find(EventLoop loop) {
        return master(loop, null).map(address -> new Endpoint(nodes.masterClient(address), () -> {
            check(loop);
            return !address.equals(current);
        }));
    }

    private void check(EventLoop loop) {
        long now = System.nanoTime();
        long next = nextCheck.get();
        if (now - next >= 0 && nextCheck.compareAndSet(next, now + PAUSE)) {
            master(loop, current);
        }
    }

    /** @param known the current master, whose role is not checked again; may be {@code null} */
    private Future<String> master(EventLoop loop, String known) {
        List<String> order = nodes.seeds().stream().sorted(Comparator.comparing(unsuccessful::contains)).toList();
        Set<String> others = new HashSet<>();
        return RedisNodes.firstOf(order, node -> master(loop, node, known, others)).onSuccess(address -> current = address);
    }

    /** @param others addresses that are known not to be masters */
    private Future<String> master(EventLoop loop, String node, String known, Set<String> others) {
        return RedisConnector.to(() -> nodes.client(node)).query(loop, request).map(reply -> masterAddress.apply(reply, node))
                .compose(address -> address.equals(known) ? Future.succeededFuture(address)
                        : confirmed(loop, address, others))
                .onSuccess(ignored -> unsuccessful.remove(node)).onFailure(ignored -> unsuccessful.add(node));
    }

    private Future<String> confirmed(EventLoop loop, String address, Set<String> others) {
        RedisStoreException none = new RedisStoreException("Redis at " + address + " is unavailable or not a master");
        return others.contains(address) ? Future.failedFuture(none)
                : RedisConnector.to(() -> nodes.masterClient(address)).query(loop, Request.cmd(Command.ROLE))
                        .map(MasterDiscovery::isMaster)
                        .recover(error -> ScriptConnection.isConnectionLost(error) ? Future.failedFuture(error)
                                : Future.succeededFuture(true))
                        .compose(isMaster -> isMaster ? Future.succeededFuture(address) : Future.failedFuture(none))
                        .onFailure(ignored -> others.add(address));
    }

    private static boolean isMaster(Response role) {
        return role.get(0).toString().equals("master");
    }
}
