package io.quarkiverse.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/** Sends plain {@code INCR}s the way the limiter sends requests: one connection, one write per iteration of the event loop. */
final class PlainIncr {

    private final Vertx vertx;
    private final RedisConnection connection;
    private final List<Request> batch = new ArrayList<>();

    PlainIncr(Vertx vertx, Supplier<Redis> clients) throws Exception {
        this.vertx = vertx;
        this.connection = clients.get().connect().toCompletionStage().toCompletableFuture().get();
    }

    long run(long deadline, int inFlight) throws Exception {
        return new StoreBenchmark.Loop(vertx, inFlight, deadline) {
            @Override
            void send(int n) {
                if (batch.isEmpty()) {
                    vertx.runOnContext(ignored -> flush());
                }
                batch.add(Request.cmd(Command.INCR).arg("incr:" + n % 10_000));
            }

            private void flush() {
                List<Request> requests = List.copyOf(batch);
                batch.clear();
                connection.batch(requests).onFailure(this::failed).onSuccess(replies -> replies.forEach(reply -> done()));
            }
        }.run();
    }
}
