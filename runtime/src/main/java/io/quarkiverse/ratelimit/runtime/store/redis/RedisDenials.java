package io.quarkiverse.ratelimit.runtime.store.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Response;

/** Counts denials in Redis: for each policy a few small sorted sets, which expire within a minute. */
public record RedisDenials(RedisStore redis, String keyPrefix) implements DenialStore {

    /** One set for each 10 s of the last minute. */
    private static final int SETS = 6;
    /** Maximum number of keys in a set. */
    static final int MAX_KEYS = 300;

    private static final AssembledScript SCRIPT = AssembledScript.of(ScriptFile.DENIALS.text());

    @Override
    public Uni<Void> add(String policy, long total, Map<String, Long> denials) {
        List<String> arguments = new ArrayList<>(List.of("add", String.valueOf(MAX_KEYS), String.valueOf(total)));
        denials.forEach((key, count) -> arguments.addAll(List.of(key, count.toString())));
        return run(policy, arguments).replaceWithVoid();
    }

    @Override
    public Uni<List<DeniedKey>> most(String policy, int count) {
        return run(policy, List.of("read", String.valueOf(count))).map(reply -> counts(policy, reply));
    }

    @Override
    public Uni<Long> total(String policy) {
        return run(policy, List.of("read", "0")).map(reply -> reply.get(0).toLong());
    }

    private Uni<Response> run(String policy, List<String> arguments) {
        // a caller's key always has one of the characters =*!, and a policy's name no colon, so these are no limit's keys
        List<String> sets = IntStream.range(0, SETS).mapToObj(number -> keyPrefix + ":{denied:" + policy + "}:" + number)
                .toList();
        return redis.run(SCRIPT, sets, arguments);
    }

    private static List<DeniedKey> counts(String policy, Response reply) {
        List<DeniedKey> counts = new ArrayList<>();
        for (int i = 1; i < reply.size(); i += 2) {
            counts.add(new KeyDenials(policy, reply.get(i).toString(), reply.get(i + 1).toLong()));
        }
        return counts;
    }
}
