package io.quarkiverse.ratelimit.runtime.cdi;

import java.lang.reflect.Proxy;

import io.quarkus.arc.Subclass;

/** Finds the class or interface that declares the limits for the calls of a bean. */
final class LimitedType {

    /** The suffix of the bean that Quarkus creates for the interface of a REST client. */
    private static final String REST_CLIENT = "$$CDIWrapper";

    private LimitedType() {
    }

    static Class<?> of(Object bean) {
        Class<?> type = bean instanceof Subclass ? bean.getClass().getSuperclass() : bean.getClass();
        if (Proxy.isProxyClass(type)) {
            // a client of RESTEasy Classic
            return type.getInterfaces()[0];
        }
        if (type.getName().endsWith(REST_CLIENT)) {
            for (Class<?> client : type.getInterfaces()) {
                if (type.getName().equals(client.getName() + REST_CLIENT)) {
                    return client;
                }
            }
        }
        return type;
    }
}
