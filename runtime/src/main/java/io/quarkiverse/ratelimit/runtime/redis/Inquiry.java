package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Supplier;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Asks nodes one thing each, over a connection for this alone, within a bounded time. Runs on one event loop. */
final class Inquiry {

    private final ContextInternal loop;
    private final long longest;
    private LaneConnection node;
    private boolean closed;

    /** @param longest how many milliseconds a node is given to connect, and to answer */
    Inquiry(ContextInternal loop, long longest) {
        this.loop = loop;
        this.longest = longest;
    }

    /** Must be called on the loop, and not before the previous answer. */
    Future<Response> ask(Supplier<Redis> client, Request question) {
        return new RedisConnector(Place.only(client)).connect(loop, longest).compose(connected -> {
            node = connected;
            if (closed) {
                leave();
                return loop.failedFuture("The application is stopping");
            }
            Promise<Response> answer = loop.promise();
            long timer = loop.setTimer(longest, ignored -> answer.tryFail("No answer within " + longest + " ms"));
            node.redis().send(question).onSuccess(answer::tryComplete).onFailure(answer::tryFail);
            return answer.future().onComplete(done -> {
                loop.owner().cancelTimer(timer);
                leave();
            });
        });
    }

    boolean isClosed() {
        return closed;
    }

    /** Asks no more. */
    void close() {
        closed = true;
        leave();
    }

    private void leave() {
        if (node != null) {
            node.close();
            node = null;
        }
    }
}
