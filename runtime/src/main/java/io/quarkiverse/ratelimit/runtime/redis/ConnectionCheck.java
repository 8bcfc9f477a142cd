package io.quarkiverse.ratelimit.runtime.redis;

import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.vertx.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.redis.client.Request;

/** Checks whether Redis replies over a connection. */
final class ConnectionCheck {

    /** Redis returns these errors to every command. Any other error may concern the check only, and not the decisions. */
    private static final Pattern OF_EVERY_COMMAND = Pattern.compile("(NOAUTH|LOADING|BUSY|MASTERDOWN)\\b");

    private ConnectionCheck() {
    }

    /**
     * Completes with the same connection if Redis replied in time, else closes it and fails.
     *
     * @param command may be refused
     * @param timeout milliseconds
     */
    static Future<ScriptConnection> of(ScriptConnection fresh, Request command, EventLoop loop, long timeout) {
        Promise<ScriptConnection> checked = loop.promise();
        long timer = loop.setTimer(timeout,
                () -> checked.tryFail(new RedisStoreException("Redis did not reply in time")));
        fresh.onLost(checked::tryFail);
        fresh.redis().send(command).onComplete(reply -> {
            if (reply.succeeded() || !BatchFailures.isConnectionLost(reply.cause())
                    && !OF_EVERY_COMMAND.matcher(reply.cause().getMessage()).lookingAt()) {
                checked.tryComplete(fresh);
            } else {
                checked.tryFail(RedisStoreException.error(reply.cause().getMessage()));
            }
        });
        return checked.future().onComplete(done -> {
            loop.cancelTimer(timer);
            if (done.failed()) {
                fresh.close();
            }
        });
    }
}
