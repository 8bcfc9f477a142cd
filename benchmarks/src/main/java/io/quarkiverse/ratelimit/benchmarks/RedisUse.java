package io.quarkiverse.ratelimit.benchmarks;

import java.util.HashMap;
import java.util.Map;

import io.lettuce.core.api.sync.RedisCommands;

/**
 * What Redis has done since it was started.
 *
 * @param micros of processor time
 * @param calls of each command, those that scripts run among them
 */
record RedisUse(double micros, Map<String, Long> calls) {

    static RedisUse of(RedisCommands<String, String> redis) {
        Map<String, Long> calls = new HashMap<>();
        double seconds = 0;
        for (String line : (redis.info("cpu") + redis.info("commandstats")).split("\r\n")) {
            String[] parts = line.split("[:=,]");
            if (line.startsWith("cmdstat_")) {
                calls.put(parts[0].substring("cmdstat_".length()), Long.valueOf(parts[2]));
            } else if (parts[0].equals("used_cpu_sys") || parts[0].equals("used_cpu_user")) {
                seconds += Double.parseDouble(parts[1]);
            }
        }
        return new RedisUse(seconds * 1e6, calls);
    }

    /** How often a command has been run since then. */
    long calls(String command, RedisUse before) {
        return calls.getOrDefault(command, 0L) - before.calls.getOrDefault(command, 0L);
    }
}
