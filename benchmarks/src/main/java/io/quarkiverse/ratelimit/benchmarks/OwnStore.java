package io.quarkiverse.ratelimit.benchmarks;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Redis;

/** Only the Redis store of this extension, without the limiter that turns its replies into decisions. */
final class OwnStore implements Contender {

    private final RedisStore store;
    private final Context loop;
    private Charge[] chargeOf;
    private String[] callers;

    OwnStore(Vertx vertx, String address) {
        store = RedisStore.single(vertx, RedisConnector.to(() -> Redis.createClient(vertx, address)), Duration.ofSeconds(5),
                new DecideScript("store", Clock.systemUTC()));
        loop = vertx.getOrCreateContext();
    }

    @Override
    public String name() {
        return OwnLimiter.Form.DEFAULT.label + ": store alone";
    }

    @Override
    public boolean isPeer() {
        return false;
    }

    @Override
    public void limit(String prefix, Rate[] rates) {
        Map<Rate, Charge> charges = new HashMap<>();
        chargeOf = new Charge[rates.length];
        callers = new String[rates.length];
        for (int i = 0; i < rates.length; i++) {
            chargeOf[i] = charges.computeIfAbsent(rates[i], OwnStore::charge);
            callers[i] = "principal=" + prefix + i;
        }
    }

    private static Charge charge(Rate rate) {
        return new Charge(new Policy(rate.policy(OwnLimiter.Form.UNCACHED),
                List.of(new PolicyLimit(PolicyLimit.DEFAULT_NAME, rate.limit())),
                KeyParser.parse("principal", null), MissingKey.IP, OnRedisFailure.DENY, Mode.ENFORCE, true),
                PermitRequest.of(1));
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight calls = new InFlight(callers.length, deadline);
        return calls.run(inFlight, task -> loop.runOnContext(ignored -> task.run()),
                key -> store.decide(new Call(0, chargeOf[key], callers[key], null).request())
                        .subscribe().with(reply -> calls.decided(reply.limits().get(0).granted() > 0), calls::failed));
    }

    @Override
    public void close() {
        store.close();
    }
}
