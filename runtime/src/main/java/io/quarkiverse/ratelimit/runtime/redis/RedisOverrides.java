package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Response;

/** Keeps overrides and blocks in Redis, all in one key, because they are few and are read together. */
public record RedisOverrides(RedisStore redis, String keyPrefix) implements OverrideStore {

    private static final AssembledScript SCRIPT = AssembledScript.of(ScriptFile.OVERRIDES.text());

    @Override
    public Uni<Void> put(String name, String text, Duration ttl) {
        return run("put", name, String.valueOf(LimitUsage.micros(ttl)), text).replaceWithVoid();
    }

    @Override
    public Uni<Duration> pause(String name, Duration ttl) {
        return run("pause", name, String.valueOf(LimitUsage.micros(ttl))).map(left -> LimitUsage.micros(left.toLong()));
    }

    @Override
    public Uni<Void> remove(String name) {
        return run("remove", name).replaceWithVoid();
    }

    @Override
    public Uni<Versioned> changedSince(String known) {
        return Uni.createFrom().deferred(() -> run("read", known)).map(reply -> reply == null ? null : versioned(reply));
    }

    private Uni<Response> run(String... operation) {
        return redis.run(SCRIPT, List.of(keyPrefix + ":{overrides}"), List.of(operation));
    }

    private static Versioned versioned(Response reply) {
        Map<String, Kept> texts = new HashMap<>();
        for (int i = 1; i < reply.size(); i += 3) {
            texts.put(reply.get(i).toString(),
                    new Kept(reply.get(i + 1).toString(), LimitUsage.micros(reply.get(i + 2).toLong())));
        }
        return new Versioned(reply.get(0).toString(), texts);
    }
}
