package io.quarkiverse.ratelimit.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
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

    private final Supplier<CompletionStage<List<Redis>>> clients;
    private final String pattern;

    StoredLimits(Supplier<CompletionStage<List<Redis>>> clients, String keyPrefix) {
        this.clients = clients;
        this.pattern = keyPrefix.replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + ":{*";
    }

    /** Removes all keys. Can be repeated after a failure. */
    CompletionStage<Void> removeAll() {
        return Future.fromCompletionStage(clients.get())
                .compose(all -> Future.join(all.stream().map(this::removeFrom).toList()).<Void> mapEmpty())
                .toCompletionStage();
    }

    private Future<Void> removeFrom(Redis client) {
        return client.connect().compose(redis -> removeFrom(redis, END)).onComplete(done -> client.close());
    }

    private Future<Void> removeFrom(RedisConnection redis, String cursor) {
        return redis.send(Request.cmd(Command.SCAN).arg(cursor).arg("MATCH").arg(pattern).arg("COUNT").arg(1_000))
                .compose(page -> remove(redis, page.get(1)).compose(done -> {
                    String next = page.get(0).toString();
                    return next.equals(END) ? Future.<Void> succeededFuture() : removeFrom(redis, next);
                }));
    }

    /** Removes the keys one by one, because in a cluster they are in several slots. */
    private static Future<List<Response>> remove(RedisConnection redis, Response keys) {
        if (keys.size() == 0) {
            return Future.succeededFuture(List.of());
        }
        List<Request> unlink = new ArrayList<>(keys.size());
        keys.forEach(key -> unlink.add(Request.cmd(Command.UNLINK).arg(key.toString())));
        return redis.batch(unlink);
    }
}
