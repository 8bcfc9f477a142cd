package io.quarkiverse.ratelimit.benchmarks;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;

/** The script of Spring Cloud Gateway, sent as its {@code RedisRateLimiter} does, without anything else of Spring. */
final class GatewayScript implements Contender {

    static final String NAME = "script of Spring Cloud Gateway";

    private static final String SCRIPT = "META-INF/scripts/request_rate_limiter.lua";

    private final StatefulRedisConnection<String, String> connection;
    private final String sha1;
    private String[] callers;
    private String[][] arguments;

    GatewayScript(RedisClient client) throws Exception {
        connection = client.connect();
        try (InputStream script = Thread.currentThread().getContextClassLoader().getResourceAsStream(SCRIPT)) {
            sha1 = connection.sync().scriptLoad(new String(script.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** It counts whole permits per second; a longer period is a cost of as many permits as it has seconds. */
    @Override
    public void limit(String prefix, Rate[] rates) {
        callers = new String[rates.length];
        arguments = new String[rates.length][];
        for (int i = 0; i < rates.length; i++) {
            callers[i] = prefix + i;
            long seconds = rates[i].period().toSeconds();
            arguments[i] = new String[] { "" + rates[i].permits(), "" + rates[i].permits() * seconds, "", "" + seconds };
        }
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight calls = new InFlight(arguments.length, deadline);
        return calls.run(inFlight, Runnable::run, key -> {
            String prefix = "request_rate_limiter.{benchmark." + callers[key] + "}.";
            String[] keys = { prefix + "tokens", prefix + "timestamp" };
            calls.decided(connection.async()
                    .<List<Long>> evalsha(sha1, ScriptOutputType.MULTI, keys, arguments[key])
                    .thenApply(reply -> reply.get(0) == 1));
        });
    }

    @Override
    public void close() {
        connection.close();
    }
}
