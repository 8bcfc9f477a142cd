package io.quarkiverse.ratelimit.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore.PauseChange.Kind;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Response;

/** Keeps overrides and blocks in one key of Redis, because they are few and are read together, and pauses in others. */
public record RedisOverrides(RedisStore redis, String keyPrefix) implements OverrideStore {

    private static final AssembledScript SCRIPT = AssembledScript.of(ScriptFile.OVERRIDES.text());
    private static final AssembledScript CHANGE_PAUSES = AssembledScript
            .of(ScriptFile.PAUSES.text() + ScriptFile.PAUSES_CHANGE.text());
    private static final AssembledScript READ_PAUSES = AssembledScript
            .of(ScriptFile.PAUSES.text() + ScriptFile.PAUSES_READ.text());

    @Override
    public Uni<Void> put(String name, String text, Duration ttl) {
        return run("put", name, String.valueOf(LimitUsage.micros(ttl)), text).replaceWithVoid();
    }

    @Override
    public Uni<Void> remove(String name) {
        return run("remove", name).replaceWithVoid();
    }

    @Override
    public Uni<Versioned> changedSince(String known, long time) {
        return Uni.createFrom().deferred(() -> run("read", known, String.valueOf(time)))
                .map(reply -> reply == null ? null : versioned(reply));
    }

    @Override
    public Uni<Duration> pause(String policy, String name, Duration ttl) {
        return runPauses(CHANGE_PAUSES, policy, "pause", name, String.valueOf(LimitUsage.micros(ttl)))
                .map(left -> LimitUsage.micros(left.toLong()));
    }

    @Override
    public Uni<Boolean> endPause(String policy, String name) {
        return runPauses(CHANGE_PAUSES, policy, "remove", name).map(ended -> ended.toInteger() > 0);
    }

    @Override
    public Uni<PauseChanges> pausesSince(String known, long time) {
        return Uni.createFrom().deferred(() -> runPauses(READ_PAUSES, "", known, String.valueOf(time)))
                .map(reply -> reply == null ? null : changes(reply));
    }

    private Uni<Response> runPauses(AssembledScript script, String policy, String... operation) {
        String key = keyPrefix + ":{overrides}.pauses";
        return redis.run(script, List.of(key, key + ".changes", key + ':' + policy), List.of(operation));
    }

    private static PauseChanges changes(Response reply) {
        List<PauseChange> changes = new ArrayList<>();
        for (int i = 3; i < reply.size(); i += 3) {
            Kind kind = switch (reply.get(i).toString()) {
                case "+" -> Kind.PAUSED;
                case "-" -> Kind.ENDED;
                default -> Kind.REPLACED;
            };
            changes.add(new PauseChange(kind, reply.get(i + 1).toString(), LimitUsage.micros(reply.get(i + 2).toLong())));
        }
        return new PauseChanges(reply.get(0).toString(), reply.get(1).toLong(), reply.get(2).toString().equals("all"), changes);
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
