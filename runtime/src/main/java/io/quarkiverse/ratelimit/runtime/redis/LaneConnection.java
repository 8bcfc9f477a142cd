package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.Consumer;

import io.vertx.redis.client.RedisConnection;

/** A connection that a lane holds, alone in a client of its own so that closing it really closes the socket. */
final class LaneConnection {

    /** How many calls may be unanswered; what is asked beyond that waits and makes larger calls. */
    private static final int MAX_CALLS = 32;

    private final Place place;
    private final RedisConnection redis;
    private final long opened = System.nanoTime();
    private int unanswered;
    /** How many are unanswered, in all calls together. */
    private int questions;
    private long quietSince;

    LaneConnection(Place place, RedisConnection redis) {
        this.place = place;
        this.redis = redis;
    }

    RedisConnection redis() {
        return redis;
    }

    /** A command is on its way, for so many questions. */
    void sent(int asked) {
        if (unanswered++ == 0) {
            quietSince = System.nanoTime();
        }
        questions += asked;
    }

    /** @param inTime whether it was of use to anybody */
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
     * Whether a call of so many questions keeps it at work while the last one's answer is dealt with. It is no smaller than
     * that one, as they take turns.
     */
    boolean hasLittleToDo(int asked) {
        return unanswered < 2 && questions <= asked;
    }

    boolean takesCalls() {
        return unanswered < MAX_CALLS && !redis.pendingQueueFull();
    }

    /**
     * Whether nothing was answered in time while a question ran into its timeout, in nanoseconds. Nine tenths of it are
     * enough, as a question is sent a little later than it is asked.
     */
    boolean isSilent(long now, long timeout) {
        return unanswered > 0 && now - quietSince >= timeout / 10 * 9;
    }

    /** Whether another Redis is known to count now. */
    boolean isOutdated() {
        return place.isOutdated().getAsBoolean();
    }

    /** How many nanoseconds it has stood. */
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
