package io.quarkiverse.ratelimit.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measures decisions per second, processor time of client and Redis, and round trips of the extension in a packaged
 * application, of a bare Netty client, and of other limiters on Redis, with 64 decisions in flight.
 */
public final class PeersBenchmark {

    private static final long MOST_AHEAD = 100_000;

    private PeersBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            int exit = new ProcessBuilder(command(redis.address())).inheritIO().start().waitFor();
            if (exit != 0) {
                throw new IllegalStateException("The application ended with " + exit);
            }
        }
    }

    private static List<String> command(String address) {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
                "-Dquarkus.http.host-enabled=false", "-Dquarkus.redis.hosts=" + address));
        for (Rate rate : Rate.all()) {
            for (OwnLimiter.Form form : OwnLimiter.Form.values()) {
                command.addAll(policy(rate, form));
            }
        }
        command.addAll(List.of("-jar", Path.of("target", "quarkus-app", "quarkus-run.jar").toString(),
                System.getProperty("rows"), System.getProperty("rounds")));
        return command;
    }

    private static List<String> policy(Rate rate, OwnLimiter.Form form) {
        String policy = "-Dquarkus.rate-limit.policies." + rate.policy(form);
        List<String> properties = List.of(policy + ".permits=" + rate.permits(), policy + ".period=" + rate.period(),
                policy + ".refill=" + (rate.interval() ? "interval" : "greedy"), policy + ".key=principal");
        return switch (form) {
            case DEFAULT -> properties;
            case UNCACHED -> Stream.concat(properties.stream(), Stream.of(policy + ".denial-cache=0")).toList();
            case PREFETCHING -> Stream.concat(properties.stream(),
                    Stream.of(policy + ".prefetch=" + Math.min(rate.permits(), MOST_AHEAD))).toList();
        };
    }
}
