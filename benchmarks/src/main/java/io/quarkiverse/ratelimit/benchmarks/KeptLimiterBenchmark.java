package io.quarkiverse.ratelimit.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures the time and the allocation of a call on a limiter that was kept from {@code forKey}, against a limiter that
 * {@code forKey} makes for each call. It runs in a packaged application, see {@link KeptLimiter}.
 */
public final class KeptLimiterBenchmark {

    private KeptLimiterBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"),
                    "-Dquarkus.http.host-enabled=false", "-Dquarkus.redis.hosts=" + redis.address()));
            for (KeptLimiter.Key key : KeptLimiter.Key.values()) {
                String policy = "-Dquarkus.rate-limit.policies." + key.policy;
                command.addAll(List.of(policy + ".permits=1", policy + ".period=1d", policy + ".denial-cache=60s"));
                if (key.property != null) {
                    command.add(policy + ".key=" + key.property);
                }
            }
            command.addAll(List.of("-jar", Path.of("target", "quarkus-app", "quarkus-run.jar").toString(), KeptLimiter.NAME,
                    System.getProperty("rounds")));
            int exit = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (exit != 0) {
                throw new IllegalStateException("The application ended with " + exit);
            }
        }
    }
}
