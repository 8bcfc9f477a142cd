package io.quarkiverse.ratelimit.runtime.redis;

/** Says why Redis did not decide; it has no stack trace, as its place is always the same. */
final class RedisStoreException extends RuntimeException {

    RedisStoreException(String message) {
        super(message, null, false, false);
    }

    RedisStoreException(String message, Throwable cause) {
        super(message, cause, false, false);
    }
}
