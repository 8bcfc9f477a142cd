package io.quarkiverse.ratelimit.runtime.redis.connection;

/** The outcome of a request to Redis. */
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
        return failure instanceof RedisStoreException known ? known.result() : ERROR;
    }
}
