package io.quarkiverse.ratelimit.benchmarks;

import java.util.List;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.vertx.core.Vertx;

/** Runs in the packaged application: measures its limiter when arguments say so, otherwise serves requests. */
@QuarkusMain
public class PeersApplication implements QuarkusApplication {

    @Inject
    RateLimiters limiters;

    @Inject
    Vertx vertx;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String address;

    @Override
    public int run(String... arguments) throws Exception {
        if (arguments.length == 0) {
            Quarkus.waitForExit();
        } else if (arguments[0].equals(KeptLimiter.NAME)) {
            KeptLimiter.measure(limiters, Integer.parseInt(arguments[1]));
        } else {
            compare(arguments[0], Integer.parseInt(arguments[1]));
        }
        return 0;
    }

    private void compare(String rows, int rounds) throws Exception {
        RedisClient lettuce = RedisClient.create(address);
        List<Contender> contenders = List.of(
                new BareNetty(address.substring(address.lastIndexOf(':') + 1)),
                new OwnStore(vertx, address), new OwnLimiter(limiters, vertx, OwnLimiter.Form.DEFAULT),
                new OwnLimiter(limiters, vertx, OwnLimiter.Form.UNCACHED),
                new OwnLimiter(limiters, vertx, OwnLimiter.Form.PREFETCHING),
                new Bucket4jOnLettuce(lettuce, Bucket4jOnLettuce.Form.NONE),
                new Bucket4jOnLettuce(lettuce, Bucket4jOnLettuce.Form.BATCHING),
                new Bucket4jOnLettuce(lettuce, Bucket4jOnLettuce.Form.DELAYING),
                new GatewayScript(lettuce), new RedissonLimiter(address));
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            Comparison comparison = new Comparison(contenders, connection.sync(), rounds);
            PeersReport report = new PeersReport();
            for (Row row : Row.called(rows)) {
                report.add(row, comparison.run(row));
            }
        }
        for (Contender contender : contenders) {
            contender.close();
        }
        lettuce.shutdown();
    }
}
