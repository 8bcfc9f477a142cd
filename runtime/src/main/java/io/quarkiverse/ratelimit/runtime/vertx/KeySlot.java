package io.quarkiverse.ratelimit.runtime.vertx;

import io.vertx.redis.client.impl.ZModem;

/** Computes the cluster slot of a Redis key. */
public final class KeySlot {

    private KeySlot() {
    }

    public static int of(String key) {
        return ZModem.generate(key);
    }
}
