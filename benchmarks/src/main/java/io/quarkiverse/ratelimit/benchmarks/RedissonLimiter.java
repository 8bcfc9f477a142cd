package io.quarkiverse.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.redisson.Redisson;
import org.redisson.api.RRateLimiter;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's limiter, asynchronous, by a client as its documentation makes it. */
final class RedissonLimiter implements Contender {

    private final RedissonClient client;
    private RRateLimiter[] limiterOf;

    RedissonLimiter(String address) {
        Config config = new Config();
        config.useSingleServer().setAddress(address);
        client = Redisson.create(config);
    }

    @Override
    public String name() {
        return "Redisson";
    }

    @Override
    public void limit(String prefix, Rate[] rates) throws Exception {
        limiterOf = new RRateLimiter[rates.length];
        List<CompletableFuture<Void>> set = new ArrayList<>();
        for (int i = 0; i < rates.length; i++) {
            limiterOf[i] = client.getRateLimiter("redisson:" + prefix + i);
            set.add(limiterOf[i].setRateAsync(RateType.OVERALL, rates[i].permits(), rates[i].period())
                    .toCompletableFuture());
        }
        for (CompletableFuture<Void> one : set) {
            one.get();
        }
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight calls = new InFlight(limiterOf.length, deadline);
        return calls.run(inFlight, Runnable::run, key -> calls.decided(limiterOf[key].tryAcquireAsync()));
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
