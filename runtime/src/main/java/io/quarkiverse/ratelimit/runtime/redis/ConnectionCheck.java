package io.quarkiverse.ratelimit.runtime.redis;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** Checks whether Redis runs scripts over a connection. */
final class ConnectionCheck {

    private ConnectionCheck() {
    }

    /**
     * Completes with the same connection if a script ran in time, else closes it and fails.
     *
     * @param timeout milliseconds
     */
    static Future<ScriptConnection> of(ScriptConnection fresh, EventLoop loop, long timeout) {
        Promise<ScriptConnection> checked = loop.promise();
        long timer = loop.setTimer(timeout,
                () -> checked.tryFail(new RedisStoreException("Redis did not reply in time")));
        fresh.onLost(checked::tryFail);
        fresh.redis().send(Request.cmd(Command.EVAL).arg("return 0").arg(0)).onSuccess(ran -> checked.tryComplete(fresh))
                .onFailure(error -> checked.tryFail(RedisStoreException.error(error.getMessage())));
        return checked.future().onComplete(done -> {
            loop.cancelTimer(timer);
            if (done.failed()) {
                fresh.close();
            }
        });
    }
}
