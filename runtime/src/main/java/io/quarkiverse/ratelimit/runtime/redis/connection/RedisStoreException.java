package io.quarkiverse.ratelimit.runtime.redis.connection;

import java.util.function.Consumer;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.vertx.redis.client.Response;

/** Reports why Redis did not decide. It has no stack trace, which would always be the same. */
public final class RedisStoreException extends RuntimeException {

    /** The address in a message of the client may contain a password. */
    private static final Pattern AFTER_SCHEME = Pattern.compile("(?<=://)\\S+");
    private static final Pattern LINE_END = Pattern.compile("\\R");

    private final RedisResult result;
    private final boolean mayBeCounted;
    private volatile Consumer<StoreReply> late;

    /** There is no connection. */
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

    /** An error from Redis, without the arguments that Redis repeats, because they contain the keys of callers. */
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

    /** The same failure for a request that was sent. */
    public RedisStoreException afterSending() {
        return new RedisStoreException(result, getMessage(), getCause(), true);
    }

    /** Whether Redis may still have counted the request. */
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

    /** Whether this Redis is a replica, such as an old master after a failover. */
    public boolean isReadOnly() {
        return getMessage().contains("READONLY");
    }

    /** Whether a node of a cluster can be used for other slots. */
    public boolean concernsOnlySlot() {
        return getMessage().contains("CLUSTERDOWN Hash slot");
    }

    /**
     * Whether a command failed with its connection. Every error from Redis is a {@link Response}, and so are some errors that
     * the client creates itself.
     */
    public static boolean isConnectionLost(Throwable cause) {
        return !(cause instanceof Response) || cause.getMessage().startsWith("CONNECTION_CLOSED")
                || cause.getMessage().startsWith("ILLEGAL_STATE");
    }

    /** The message with its root cause, such as an untrusted certificate behind a failed connection. */
    static String reasonOf(Throwable cause) {
        String message = firstLine(cause);
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String behind = firstLine(root);
        return AFTER_SCHEME.matcher(message.contains(behind) ? message : message + ": " + behind).replaceAll("***");
    }

    private static String firstLine(Throwable cause) {
        return LINE_END.split(cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage(), 2)[0];
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
