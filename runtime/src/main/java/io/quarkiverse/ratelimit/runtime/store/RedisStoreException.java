package io.quarkiverse.ratelimit.runtime.store;

import java.util.function.Consumer;

/** Reports why Redis did not decide. It has no stack trace, which would always be the same. */
public final class RedisStoreException extends RuntimeException {

    private final RedisResult result;
    private final boolean mayBeCounted;
    private volatile Consumer<StoreReply> late;

    /** Creates the failure of a request for which there is no connection. */
    public RedisStoreException(String message) {
        this(message, null);
    }

    public RedisStoreException(String message, Throwable cause) {
        this(RedisResult.UNAVAILABLE, message, cause, false);
    }

    private RedisStoreException(RedisResult result, String message, Throwable cause, boolean mayBeCounted) {
        super(message, cause, false, false);
        this.result = result;
        this.mayBeCounted = mayBeCounted;
    }

    /**
     * Creates an exception for an error from Redis. Leaves out the arguments that Redis repeats, because they contain the keys
     * of callers.
     */
    public static RedisStoreException error(String error) {
        return new RedisStoreException(RedisResult.ERROR, "Redis replied with an error: " + error.split(", with args", 2)[0],
                null, false);
    }

    public static RedisStoreException late() {
        return new RedisStoreException(RedisResult.TIMEOUT, "Redis did not reply in time", null, false);
    }

    public static RedisStoreException full() {
        return new RedisStoreException(RedisResult.ERROR, "Too many decisions wait for Redis", null, false);
    }

    /** Returns the same failure for a request that was sent. */
    public RedisStoreException afterSending() {
        return new RedisStoreException(result, getMessage(), getCause(), true);
    }

    /** Returns whether Redis may still have counted the request. */
    public boolean mayBeCounted() {
        return mayBeCounted;
    }

    /** Calls this with the reply if it arrives after the failure. Must be registered where the failure is received. */
    public void onLateReply(Consumer<StoreReply> late) {
        this.late = late;
    }

    public void replied(StoreReply reply) {
        Consumer<StoreReply> interested = late;
        if (interested != null) {
            interested.accept(reply);
        }
    }

    /** Returns whether this Redis is a replica, such as an old master after a failover. */
    public boolean isReadOnly() {
        return getMessage().contains("READONLY");
    }

    /** Returns whether a node of a cluster can be used for other slots. */
    public boolean concernsOnlySlot() {
        return getMessage().contains("CLUSTERDOWN Hash slot");
    }

    public enum RedisResult {
        /** Redis replied. */
        OK,
        /** Redis did not reply in time. */
        TIMEOUT,
        /** There was no connection, or it was lost. */
        UNAVAILABLE,
        /** Redis replied with an error, or too many requests were already waiting. */
        ERROR;

        /** @param failure {@code null} if there was none */
        public static RedisResult of(Throwable failure) {
            if (failure == null) {
                return OK;
            }
            return failure instanceof RedisStoreException known ? known.result : ERROR;
        }
    }
}
