package io.quarkiverse.ratelimit.runtime.redis;

/** How a question to Redis ended. */
public enum RedisResult {
    /** It was answered. */
    OK,
    /** It was not answered in time. */
    TIMEOUT,
    /** There was no connection, or it was lost. */
    AWAY,
    /** Redis refused to count, or too many questions were waiting already. */
    ERROR;

    /** @param failure {@code null} when there was none */
    public static RedisResult of(Throwable failure) {
        if (failure == null) {
            return OK;
        }
        return failure instanceof RedisStoreException known ? known.result() : ERROR;
    }
}
