package io.quarkiverse.ratelimit.runtime.redis;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.vertx.redis.client.RedisClientType;

/**
 * Adapts the configuration of a client with several nodes to one of these nodes. It is a proxy, because the interface grows
 * with Quarkus.
 *
 * @param node the address of that node
 */
record SingleNodeConfig(RedisClientConfig nodes, URI node) implements InvocationHandler {

    static RedisClientConfig of(RedisClientConfig nodes, URI node) {
        return (RedisClientConfig) Proxy.newProxyInstance(RedisClientConfig.class.getClassLoader(),
                new Class<?>[] { RedisClientConfig.class }, new SingleNodeConfig(nodes, node));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "hosts" -> Optional.of(Set.of(node));
            case "hostsProviderName" -> Optional.empty();
            case "clientType" -> RedisClientType.STANDALONE;
            default -> ofNodes(method, arguments);
        };
    }

    private Object ofNodes(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(nodes, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
