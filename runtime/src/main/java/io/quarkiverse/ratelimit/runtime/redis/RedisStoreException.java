package io.quarkiverse.ratelimit.runtime.redis;

/** Says why Redis did not decide; it has no stack trace, as its place is always the same. */
public final class RedisStoreException extends RuntimeException {

    private final RedisResult result;
    private final boolean unheard;

    /** There is no connection. */
    RedisStoreException(String message) {
        this(message, null);
    }

    /** There is no connection. */
    RedisStoreException(String message, Throwable cause) {
        this(RedisResult.AWAY, message, cause, false);
    }

    private RedisStoreException(RedisResult result, String message, Throwable cause, boolean unheard) {
        super(message, cause, false, false);
        this.result = result;
        this.unheard = unheard;
    }

    /** By this error, without the arguments that Redis repeats, as callers' keys are among them. */
    static RedisStoreException refused(String error) {
        return new RedisStoreException(RedisResult.ERROR, "Redis refused to count: " + error.split(", with args", 2)[0], null,
                false);
    }

    static RedisStoreException late() {
        return new RedisStoreException(RedisResult.TIMEOUT, "Redis did not answer in time", null, false);
    }

    static RedisStoreException full() {
        return new RedisStoreException(RedisResult.ERROR, "Too many decisions wait for Redis", null, false);
    }

    /** The same of a question that was sent. */
    RedisStoreException unheard() {
        return new RedisStoreException(result, getMessage(), getCause(), true);
    }

    /** Whether Redis may have counted nevertheless. */
    public boolean isUnheard() {
        return unheard;
    }

    RedisResult result() {
        return result;
    }

    /** Whether this Redis is a replica, as a master is after a failover. */
    boolean saysReadOnly() {
        return getMessage().contains("READONLY");
    }
}
