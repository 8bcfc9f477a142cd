package io.quarkiverse.ratelimit.test.routes;

/** Configures policies and routes of tests. */
final class Routes {

    private Routes() {
    }

    /** A policy of this number of permits per hour, with a timeout that is long enough for a busy machine. */
    static String policy(String name, int permits, String key) {
        return """
                quarkus.rate-limit.timeout=10s
                quarkus.rate-limit.policies.%1$s.permits=%2$d
                quarkus.rate-limit.policies.%1$s.period=1h
                quarkus.rate-limit.policies.%1$s.key=%3$s
                """.formatted(name, permits, key);
    }

    static String route(String name, String paths, String policy) {
        return """
                quarkus.rate-limit.routes.%1$s.paths=%2$s
                quarkus.rate-limit.routes.%1$s.policy=%3$s
                """.formatted(name, paths, policy);
    }
}
