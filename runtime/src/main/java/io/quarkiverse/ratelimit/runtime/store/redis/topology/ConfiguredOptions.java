package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.annotation.Priority;
import jakarta.inject.Singleton;

import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/**
 * Provides the options that Quarkus computes from the configuration of a client. Quarkus passes them only to customizers, so
 * this is one. It runs before all others and changes nothing.
 */
@Singleton
@Priority(Integer.MAX_VALUE)
public class ConfiguredOptions implements RedisOptionsCustomizer {

    private final Map<String, RedisOptions> ofClients = new ConcurrentHashMap<>();

    @Override
    public void customize(String clientName, RedisOptions options) {
        ofClients.computeIfAbsent(clientName, name -> copy(options));
    }

    /**
     * Copies the options of a client, as they were before other customizers changed them.
     *
     * @param client creates the client, if the application has not created it; it never connects
     */
    public RedisOptions of(String clientName, Supplier<Redis> client) {
        if (!ofClients.containsKey(clientName)) {
            client.get().close();
        }
        return copy(ofClients.get(clientName));
    }

    private static RedisOptions copy(RedisOptions options) {
        return new RedisOptions(options).setNetClientOptions(new NetClientOptions(options.getNetClientOptions()));
    }
}
