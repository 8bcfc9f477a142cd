package io.quarkiverse.ratelimit.benchmarks;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.Redis;

/**
 * Measures decisions per second of the store on 10 000 keys, and the bytes that each decision allocates, with 1 to 256 of them
 * in flight, against a bare Netty client that sends the same script once per decision and against plain {@code INCR}s through
 * the Redis client; and those on one key against those on 10 000.
 */
public final class StoreBenchmark {

    private static final int[] IN_FLIGHT = { 1, 16, 64, 256 };
    private static final int KEYS = 10_000;
    private static final int ROUNDS = 9;
    private static final int MILLIS = 1_000;

    private StoreBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
            try {
                Supplier<Redis> clients = () -> Redis.createClient(vertx, redis.address());
                for (boolean denied : new boolean[] { false, true }) {
                    System.out.println(denied ? "\none per caller and 2 s, most are denied" : "\nall allowed");
                    for (int inFlight : IN_FLIGHT) {
                        compare(vertx, clients, redis.port(), inFlight, denied);
                    }
                    for (int inFlight : IN_FLIGHT) {
                        compareOneKey(vertx, clients, inFlight, denied);
                    }
                }
            } finally {
                vertx.close().toCompletionStage().toCompletableFuture().join();
            }
        }
    }

    private static void compare(Vertx vertx, Supplier<Redis> clients, int port, int inFlight, boolean denied)
            throws Exception {
        Charge charge = new Charge(policy(denied), PermitRequest.of(1));
        StoreRequest[] requests = new StoreRequest[KEYS];
        for (int i = 0; i < KEYS; i++) {
            requests[i] = new Call(0, charge, "principal=caller-" + i, null).request();
        }
        RedisStore store = RedisStore.single(vertx, RedisConnector.to(clients), Duration.ofSeconds(5),
                new DecideScript("store", Clock.systemUTC()));
        try (NettyClient netty = new NettyClient(port, requests[0].operations().get(0).operation())) {
            PlainIncr incr = new PlainIncr(vertx, clients);
            new Rounds(ROUNDS, MILLIS)
                    .add("bare Netty", deadline -> netty.run(deadline, inFlight))
                    .add("store", deadline -> new Loop(vertx, inFlight, deadline) {
                        @Override
                        void send(int n) {
                            store.decide(requests[n % KEYS]).subscribe().with(reply -> done(), this::failed);
                        }
                    }.run())
                    .add("INCR", deadline -> incr.run(deadline, inFlight))
                    .print(inFlight + " in flight");
        }
        store.close();
    }

    private static void compareOneKey(Vertx vertx, Supplier<Redis> clients, int inFlight, boolean denied) throws Exception {
        Charge charge = new Charge(policy(denied), PermitRequest.of(1));
        RedisStore store = RedisStore.single(vertx, RedisConnector.to(clients), Duration.ofSeconds(5),
                new DecideScript("store", Clock.systemUTC()));
        new Rounds(ROUNDS, MILLIS)
                .add("10 000 keys", deadline -> new CallerLoop(vertx, inFlight, deadline, store, charge, KEYS).run())
                .add("one key", deadline -> new CallerLoop(vertx, inFlight, deadline, store, charge, 1).run())
                .print(inFlight + " in flight");
        store.close();
    }

    private static Policy policy(boolean denied) {
        Limit limit = denied
                ? Limit.tokenBucket(1).refill(1, Duration.ofSeconds(2))
                : Limit.tokenBucket(1_000_000).refill(1_000_000, Duration.ofSeconds(1));
        return new Policy("benchmark", List.of(new PolicyLimit(PolicyLimit.DEFAULT_NAME, limit)),
                KeyParser.parse("principal", null), MissingKey.IP, OnRedisFailure.DENY, Mode.ENFORCE, true);
    }

    /** Keeps this many requests in flight on one event loop until the deadline. */
    abstract static class Loop {

        private final Vertx vertx;
        private final int inFlight;
        private final long deadline;
        private final CompletableFuture<Long> finished = new CompletableFuture<>();
        private int sent, completed;

        Loop(Vertx vertx, int inFlight, long deadline) {
            this.vertx = vertx;
            this.inFlight = inFlight;
            this.deadline = deadline;
        }

        abstract void send(int n);

        long run() throws Exception {
            vertx.runOnContext(ignored -> {
                for (int i = 0; i < inFlight; i++) {
                    send(sent++);
                }
            });
            return finished.get();
        }

        boolean goesOn() {
            return System.nanoTime() - deadline < 0;
        }

        void done() {
            completed++;
            if (goesOn()) {
                send(sent++);
            } else if (completed == sent) {
                finished.complete((long) completed);
            }
        }

        void failed(Throwable failure) {
            finished.completeExceptionally(failure);
        }
    }

    /** Calls for one caller after the other; its name is a new string each time, as for requests. */
    private static final class CallerLoop extends Loop {

        private final RedisStore store;
        private final Charge charge;
        private final int keys;

        CallerLoop(Vertx vertx, int inFlight, long deadline, RedisStore store, Charge charge, int keys) {
            super(vertx, inFlight, deadline);
            this.store = store;
            this.charge = charge;
            this.keys = keys;
        }

        @Override
        void send(int n) {
            StoreRequest request = new Call(0, charge, "principal=caller-" + n % keys, null).request();
            store.decide(request).subscribe().with(reply -> done(), this::failed);
        }
    }
}
