package io.quarkiverse.ratelimit.runtime.redis;

import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.vertx.core.Future;
import io.vertx.core.impl.ContextInternal;
import io.vertx.redis.client.Redis;

/**
 * A Redis to count in.
 *
 * @param client makes connections to it
 * @param isOutdated whether it has become known in the meantime that another one counts in its place
 */
record Place(Redis client, BooleanSupplier isOutdated) {

    /**
     * There is only one.
     *
     * @param client makes a client for the event loop it is called on
     */
    static Function<ContextInternal, Future<Place>> only(Supplier<Redis> client) {
        return loop -> loop.succeededFuture(new Place(client.get(), () -> false));
    }
}
