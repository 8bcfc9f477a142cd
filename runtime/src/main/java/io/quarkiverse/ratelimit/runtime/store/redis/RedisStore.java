package io.quarkiverse.ratelimit.runtime.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.platform.vertx.EventLoop;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Decide;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Run;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisQueue.RedirectHandler;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.Outage;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisHealth.UnavailableNode;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;

/**
 * Decides in Redis, for all instances together. A thread with a Vert.x context uses the queue of its event loop; all other
 * threads share two queues. The reply arrives on the event loop of the queue.
 */
public final class RedisStore implements LimitStore, AutoCloseable {

    private static final int SHARED_QUEUES = 2;

    private final EventLoop.Values<RequestSender> senders;
    private final List<RequestSender> shared;
    private final Duration timeout;
    private final boolean sharded;
    private final IntSupplier nodes;
    private final Supplier<List<UnavailableNode>> unavailable;

    /** @param sender creates the queue, or the queues in a cluster, of an event loop */
    public RedisStore(Vertx vertx, Duration timeout, boolean sharded, Function<EventLoop, RequestSender> sender,
            IntSupplier nodes, Supplier<List<UnavailableNode>> unavailable) {
        this.timeout = timeout;
        this.sharded = sharded;
        this.nodes = nodes;
        this.unavailable = unavailable;
        this.senders = new EventLoop.Values<>(vertx, sender);
        this.shared = senders.all().stream().limit(SHARED_QUEUES).toList();
    }

    public static RedisStore single(Vertx vertx, RedisConnector connector, Duration timeout, DecideScript script) {
        Outage outage = new Outage("");
        return new RedisStore(vertx, timeout, false,
                loop -> new RedisQueue(loop, connector, script, outage, RedirectHandler.NONE, timeout.toNanos()),
                () -> 1, () -> outage.unavailable().stream().toList());
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request, Deadline deadline) {
        return PlainUni.emitter(emitter -> send(new Decide(request, deadline, emitter)));
    }

    private void send(PendingRequest pending) {
        try {
            chooseSender().send(pending);
        } catch (RejectedExecutionException e) {
            pending.fail(new RedisStoreException("The event loop of the Redis connection accepts no requests", e));
        } catch (Throwable mistake) {
            pending.fail(mistake);
        }
    }

    @Override
    public Uni<StoreReply> decide(StoreRequest request) {
        return PlainUni.deferred(() -> decide(request, Deadline.in(timeout)));
    }

    /**
     * Returns the queue of the current event loop. Until that has connected, returns a shared one that has, so that no call
     * waits.
     */
    private RequestSender chooseSender() {
        RequestSender sender = senders.current();
        if (sender == null) {
            sender = shared.get((int) (Thread.currentThread().getId() % shared.size()));
        }
        if (sender.hasConnected()) {
            return sender;
        }
        sender.open();
        RequestSender openedAtStart = shared.get(0);
        return openedAtStart.hasConnected() ? openedAtStart : sender;
    }

    /** Connects before the first request. Completes when Redis is connected or known to be unavailable. */
    public CompletionStage<Void> open() {
        return RequestSender.open(shared);
    }

    /** Returns the health of Redis, without a request to it. */
    public RedisHealth health() {
        return new RedisHealth(senders.all().stream().anyMatch(RequestSender::hasConnected), nodes.getAsInt(),
                unavailable.get());
    }

    @Override
    public boolean isSharded() {
        return sharded;
    }

    /** Runs a script that decides nothing. Its keys share a cluster slot. */
    Uni<Response> run(AssembledScript script, List<String> keys, List<String> arguments) {
        return Uni.createFrom().emitter(emitter -> send(new Run(script, keys, arguments, Deadline.in(timeout), emitter)));
    }

    @Override
    public void close() {
        senders.all().forEach(RequestSender::close);
    }
}
