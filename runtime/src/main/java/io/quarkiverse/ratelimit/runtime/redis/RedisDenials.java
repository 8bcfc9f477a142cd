package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** Counts denials in Redis: for each policy a few small sorted sets, which expire within a minute. */
public final class RedisDenials implements DenialStore {

    /** One set for each 10 s of the last minute. */
    private static final int SETS = 6;
    /** How many keys a set has at most. */
    static final int MAX_KEYS = 300;

    private final RedisStore redis;
    private final String keyPrefix;
    private final LongSupplier clockOffset;
    private final String script = ScriptFile.DENIALS.text();

    /** @param clockOffset microseconds to add to the server's clock; always 0 except in tests */
    public RedisDenials(RedisStore redis, String keyPrefix, LongSupplier clockOffset) {
        this.redis = redis;
        this.keyPrefix = keyPrefix;
        this.clockOffset = clockOffset;
    }

    @Override
    public Uni<Void> add(String policy, Map<String, Long> denials) {
        Request add = request(policy, "add").arg(MAX_KEYS);
        denials.forEach((key, count) -> add.arg(key).arg(count));
        return redis.send(set(policy, 0), add).replaceWithVoid();
    }

    @Override
    public Uni<List<DeniedKey>> most(String policy, int count) {
        return redis.send(set(policy, 0), request(policy, "read").arg(count)).map(RedisDenials::counts);
    }

    private Request request(String policy, String operation) {
        Request request = Request.cmd(Command.EVAL).arg(script).arg(SETS);
        for (int i = 0; i < SETS; i++) {
            request.arg(set(policy, i));
        }
        return request.arg(clockOffset.getAsLong()).arg(operation);
    }

    /** A caller's key always has one of the characters {@code =*!}, and a policy's name no colon. So it is no limit's key. */
    private String set(String policy, int number) {
        return keyPrefix + ":{denied:" + policy + "}:" + number;
    }

    private static List<DeniedKey> counts(Response reply) {
        List<DeniedKey> counts = new ArrayList<>();
        for (int i = 0; i < reply.size(); i += 2) {
            counts.add(new KeyDenials(reply.get(i).toString(), reply.get(i + 1).toLong()));
        }
        return counts;
    }
}
