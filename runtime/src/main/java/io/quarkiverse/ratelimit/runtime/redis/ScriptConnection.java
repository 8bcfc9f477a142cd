package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Consumer;

import io.vertx.redis.client.RedisConnection;

/** The connection of a queue. It has a client of its own, so that closing it really closes the socket. */
final class ScriptConnection {

    /** How many commands may wait for replies. Further requests wait and form larger batches. */
    private static final int MAX_CALLS = 32;

    private final Endpoint place;
    private final RedisConnection redis;
    private final long opened = System.nanoTime();
    private int unanswered;
    /** How many requests wait for replies, in all batches together. */
    private int questions;
    private long quietSince;

    ScriptConnection(Endpoint place, RedisConnection redis) {
        this.place = place;
        this.redis = redis;
    }

    RedisConnection redis() {
        return redis;
    }

    /** Records that a command was sent for this number of requests. */
    void sent(int asked) {
        if (unanswered++ == 0) {
            quietSince = System.nanoTime();
        }
        questions += asked;
    }

    /** @param inTime whether any request still waited for the reply */
    void answered(int asked, boolean inTime) {
        unanswered--;
        questions -= asked;
        if (inTime) {
            quietSince = System.nanoTime();
        }
    }

    boolean isIdle() {
        return unanswered == 0;
    }

    /**
     * Whether a batch of this size keeps Redis busy while the loop processes the reply to the previous batch: at most one
     * batch waits for its reply, and it is not larger than the new one.
     */
    boolean hasLittleToDo(int asked) {
        return unanswered < 2 && questions <= asked;
    }

    boolean takesCalls() {
        return unanswered < MAX_CALLS && !redis.pendingQueueFull();
    }

    /**
     * Whether no reply arrived in time while a request ran into its timeout, in nanoseconds. Nine tenths of the timeout are
     * enough, because a request is sent a little later than it is made.
     */
    boolean isSilent(long now, long timeout) {
        return unanswered > 0 && now - quietSince >= timeout / 10 * 9;
    }

    /** Whether another server is now known to be the master. */
    boolean isOutdated() {
        return place.isOutdated().getAsBoolean();
    }

    /** Nanoseconds since the connection was opened. */
    long age() {
        return System.nanoTime() - opened;
    }

    void onLost(Consumer<Throwable> lost) {
        redis.exceptionHandler(lost::accept);
        redis.endHandler(ignored -> lost.accept(new RedisStoreException("The connection to Redis was closed")));
    }

    void close() {
        redis.exceptionHandler(ignored -> {
        });
        redis.endHandler(null);
        place.client().close();
    }
}
