package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Clock;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.quarkiverse.ratelimit.runtime.redis.RedisState.Away;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Decides in Redis, for all instances together. A caller with a Vert.x context uses the lane of its event loop; all
 * others share two. The answer arrives on the lane's event loop.
 */
public final class RedisStore implements LimitStore, AutoCloseable {

    private static final int SHARED_LANES = 2;

    private final Map<EventLoop, Asker> lanes = new IdentityHashMap<>();
    private final Asker[] shared = new Asker[SHARED_LANES];
    private final Consumer<Pending> ask = pending -> lane().ask(pending);
    private final long timeout;
    private final boolean together;
    private final IntSupplier nodes;
    private final Supplier<List<Away>> away;

    /**
     * @param clients makes a Redis client for the event loop it is called on
     * @param keyPrefix what every key begins with
     * @param timeout how long a decision may take
     * @param clock says how far ahead of Redis' clock to decide
     * @param application stands in for Redis' clock until it first answers
     */
    public RedisStore(Vertx vertx, Supplier<Redis> clients, String keyPrefix, Duration timeout, LimiterClock clock,
            Clock application) {
        this(vertx, new RedisConnector(Place.only(clients)), keyPrefix, timeout, clock, application);
    }

    RedisStore(Vertx vertx, RedisConnector connector, String keyPrefix, Duration timeout, LimiterClock clock,
            Clock application) {
        this(vertx, connector, timeout, new DecideScript(new LimitKeys(keyPrefix), clock::ahead, new ServerClock(application)));
    }

    RedisStore(Vertx vertx, RedisConnector connector, Duration timeout, DecideScript script) {
        this(vertx, timeout, connector, script, new Outage());
    }

    private RedisStore(Vertx vertx, Duration timeout, RedisConnector connector, DecideScript script, Outage outage) {
        this(vertx, timeout, true, loop -> new Lane(loop, connector, script, outage, Redirections.NONE,
                timeout.toNanos()), () -> 1,
                () -> outage.away().stream().toList());
    }

    /** A store in a cluster. */
    RedisStore(Vertx vertx, RedisNodes nodes, String keyPrefix, Duration timeout, LimiterClock clock,
            Clock application) {
        this(vertx, nodes, timeout, new DecideScript(new LimitKeys(keyPrefix), clock::ahead, new ServerClock(application)));
    }

    RedisStore(Vertx vertx, RedisNodes nodes, Duration timeout, DecideScript script) {
        this(vertx, timeout, nodes, script, new ClusterSlots(nodes.seeds()));
    }

    private RedisStore(Vertx vertx, Duration timeout, RedisNodes nodes, DecideScript script, ClusterSlots slots) {
        this(vertx, timeout, false, loop -> new ClusterLane(loop, nodes, slots, script, timeout.toNanos()),
                () -> slots.masters().size(),
                slots::away);
    }

    private RedisStore(Vertx vertx, Duration timeout, boolean together, Function<ContextInternal, Asker> lane,
            IntSupplier nodes, Supplier<List<Away>> away) {
        this.timeout = timeout.toNanos();
        this.together = together;
        this.nodes = nodes;
        this.away = away;
        VertxInternal owner = (VertxInternal) vertx;
        for (EventExecutor loop : owner.getEventLoopGroup()) {
            ContextInternal context = owner.createEventLoopContext((EventLoop) loop, null,
                    Thread.currentThread().getContextClassLoader());
            BrokenTries.areSilentIn(context);
            Asker made = lane.apply(context);
            if (lanes.size() < SHARED_LANES) {
                shared[lanes.size()] = made;
            }
            lanes.put((EventLoop) loop, made);
        }
        if (shared[1] == null) {
            shared[1] = shared[0];
        }
    }

    /** The text of the script that takes by the functions of these files, as Redis gets it. */
    public static String script(String... files) {
        return DecideScript.assembled(new TreeSet<>(List.of(files)), false);
    }

    /** Connects ahead of the first question; completes when Redis is connected or known to be away. */
    public CompletionStage<Void> open() {
        shared[1].open();
        return shared[0].open();
    }

    /** How Redis is, without asking it. */
    public RedisState state() {
        return new RedisState(lanes.values().stream().anyMatch(Asker::hasOpened), nodes.getAsInt(), away.get());
    }

    @Override
    public Uni<long[]> decide(Question question) {
        return new Asking(question, System::nanoTime, timeout, ask);
    }

    @Override
    public Uni<long[]> decide(Question question, long began) {
        return new Asking(question, () -> began, timeout, ask);
    }

    /** Keeps overrides in the same Redis. */
    public OverrideStore overrides(String keyPrefix, LimiterClock clock) {
        return new RedisOverrides(this, keyPrefix, clock::ahead);
    }

    @Override
    public boolean decidesTogether() {
        return together;
    }

    /** Sends a command of its own, which concerns this key. */
    Uni<Response> send(String key, Request request) {
        return Uni.createFrom().<Response> emitter(caller -> lane().send(key, request, caller))
                .ifNoItem().after(Duration.ofNanos(timeout)).failWith(RedisStoreException.late());
    }

    /** The lane for the current thread; until that has been connected, the shared one that is opened at the start. */
    private Asker lane() {
        ContextInternal current = ContextInternal.current();
        Asker lane = current == null ? null : lanes.get(current.nettyEventLoop());
        if (lane == null) {
            lane = shared[(int) Thread.currentThread().getId() & 1];
        }
        if (!lane.hasOpened()) {
            boolean settled = lane.open().toCompletableFuture().isDone();
            // as long as Redis was never there, each says so by itself
            return settled && !shared[0].hasOpened() ? lane : shared[0];
        }
        return lane;
    }

    @Override
    public void close() {
        lanes.values().forEach(Asker::close);
    }
}
