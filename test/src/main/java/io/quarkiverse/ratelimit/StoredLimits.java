package io.quarkiverse.ratelimit;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Finds and removes every key of the limiter. */
final class StoredLimits {

    private static final String END = "0";

    private final Supplier<Redis> clients;
    private final String pattern;

    StoredLimits(Supplier<Redis> clients, String keyPrefix) {
        this.clients = clients;
        this.pattern = keyPrefix.replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + ":{*";
    }

    void forgetAll() {
        Redis client = clients.get();
        try {
            client.connect().compose(redis -> forgetFrom(redis, END))
                    .toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("The limits could not be reset, as Redis did not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The limits could not be reset, as the test was interrupted", e);
        } finally {
            client.close();
        }
    }

    private Future<Void> forgetFrom(RedisConnection redis, String cursor) {
        return redis.send(Request.cmd(Command.SCAN).arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(1_000))
                .compose(page -> forget(redis, page.get(1)).compose(done -> {
                    String next = page.get(0).toString();
                    return next.equals(END) ? Future.<Void> succeededFuture() : forgetFrom(redis, next);
                }));
    }

    private static Future<Response> forget(RedisConnection redis, Response keys) {
        if (keys.size() == 0) {
            return Future.succeededFuture();
        }
        Request unlink = Request.cmd(Command.UNLINK);
        keys.forEach(key -> unlink.arg(key.toString()));
        return redis.send(unlink);
    }
}
