package io.quarkiverse.ratelimit.runtime.redis;

/** Says why Redis did not decide; it has no stack trace, as its place is always the same. */
final class RedisStoreException extends RuntimeException {

    RedisStoreException(String message) {
        super(message, null, false, false);
    }

    RedisStoreException(String message, Throwable cause) {
        super(message, cause, false, false);
    }

    static RedisStoreException refused(String error) {
        return new RedisStoreException("Redis refused to count: " + error);
    }

    /** Whether this Redis is a replica, as a master is after a failover. */
    boolean saysReadOnly() {
        return getMessage().contains("READONLY");
    }
}
