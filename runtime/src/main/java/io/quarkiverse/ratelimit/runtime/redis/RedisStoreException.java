package io.quarkiverse.ratelimit.runtime.redis;

/** Says why Redis did not decide; it has no stack trace, as its place is always the same. */
final class RedisStoreException extends RuntimeException {

    private final RedisResult result;

    /** There is no connection. */
    RedisStoreException(String message) {
        this(message, null);
    }

    /** There is no connection. */
    RedisStoreException(String message, Throwable cause) {
        this(RedisResult.AWAY, message, cause);
    }

    private RedisStoreException(RedisResult result, String message, Throwable cause) {
        super(message, cause, false, false);
        this.result = result;
    }

    static RedisStoreException refused(String error) {
        return new RedisStoreException(RedisResult.ERROR, "Redis refused to count: " + error, null);
    }

    static RedisStoreException late() {
        return new RedisStoreException(RedisResult.TIMEOUT, "Redis did not answer in time", null);
    }

    static RedisStoreException full() {
        return new RedisStoreException(RedisResult.ERROR, "Too many decisions wait for Redis", null);
    }

    RedisResult result() {
        return result;
    }

    /** Whether this Redis is a replica, as a master is after a failover. */
    boolean saysReadOnly() {
        return getMessage().contains("READONLY");
    }
}
