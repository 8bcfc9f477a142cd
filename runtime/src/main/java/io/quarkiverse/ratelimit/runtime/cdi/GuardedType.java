package io.quarkiverse.ratelimit.runtime.cdi;

import io.quarkus.arc.Subclass;

/** Finds the class or interface whose guards hold for the calls of a bean. */
final class GuardedType {

    /** How Quarkus names the bean that it makes for the interface of a REST client. */
    private static final String REST_CLIENT = "$$CDIWrapper";

    private GuardedType() {
    }

    static Class<?> of(Object bean) {
        Class<?> type = bean instanceof Subclass ? bean.getClass().getSuperclass() : bean.getClass();
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
