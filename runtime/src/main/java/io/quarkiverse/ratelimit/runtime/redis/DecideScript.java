package io.quarkiverse.ratelimit.runtime.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.vertx.KeySlot;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * Turns requests into calls of a script, which consists of the files that their operations need.
 */
final class DecideScript {

    private final Map<Set<ScriptFile>, Script> scripts = new ConcurrentHashMap<>();
    private final LimitKeys keys;
    private final LongSupplier clockOffset;
    private final ServerClock clock;
    private final UnaryOperator<String> change;

    /**
     * @param keys names the keys
     * @param clockOffset microseconds to add to the server's clock; always 0 except in tests
     * @param clock estimates the server's clock
     */
    DecideScript(LimitKeys keys, LongSupplier clockOffset, ServerClock clock) {
        this(keys, clockOffset, clock, UnaryOperator.identity());
    }

    /** @param change changes the text of the script */
    DecideScript(LimitKeys keys, LongSupplier clockOffset, ServerClock clock, UnaryOperator<String> change) {
        this.keys = keys;
        this.clock = clock;
        this.clockOffset = clockOffset;
        this.change = change;
    }

    /** The text of the script with these files. The files of a folder share a block, so that their locals end with it. */
    static String assembled(Set<ScriptFile> files) {
        StringBuilder script = new StringBuilder();
        String folder = "";
        for (ScriptFile file : files) {
            if (!file.folder().equals(folder)) {
                script.append(folder.isEmpty() ? "" : "end\n").append(file.folder().isEmpty() ? "" : "do\n");
                folder = file.folder();
            }
            script.append(file.text());
        }
        return script.toString();
    }

    /** One call of the loaded script for these requests. */
    Request evalsha(List<StoreRequest> requests) {
        return command(Request.cmd(Command.EVALSHA).arg(script(requests).sha1), requests);
    }

    /** The same call with the text of the script, which also loads it. */
    Request eval(List<StoreRequest> requests) {
        return command(Request.cmd(Command.EVAL).arg(script(requests).text), requests);
    }

    /** The cluster slot of the keys of a request. All its keys contain the same caller, so they share the slot. */
    int slot(StoreRequest request) {
        PolicyRequest first = request.policies().get(0);
        return KeySlot.of(keys.key(first.policy().name(), first.operations().get(0).limit(), first.caller()));
    }

    /** Records the time in a reply of the script, microseconds since the epoch. */
    void answered(long now) {
        clock.saw(now);
    }

    private Script script(List<StoreRequest> requests) {
        Set<ScriptFile> needed = files(requests);
        Script script = scripts.get(needed);
        return script != null ? script : scripts.computeIfAbsent(needed, this::assemble);
    }

    /** All files that these requests need: by far most often, each operation needs the same set. */
    private static Set<ScriptFile> files(List<StoreRequest> requests) {
        Set<ScriptFile> first = requests.get(0).policies().get(0).operations().get(0).operation().files();
        Set<ScriptFile> all = first;
        for (StoreRequest request : requests) {
            for (PolicyRequest policy : request.policies()) {
                for (LimitOperation limit : policy.operations()) {
                    if (limit.operation().files() != first) {
                        all = all == first ? EnumSet.copyOf(first) : all;
                        all.addAll(limit.operation().files());
                    }
                }
            }
            if (!request.isOneEnforcedLimit()) {
                all = all == first ? EnumSet.copyOf(first) : all;
                all.add(ScriptFile.TOGETHER);
            }
        }
        return all;
    }

    private Script assemble(Set<ScriptFile> files) {
        String text = change.apply(assembled(files));
        return new Script(text, sha1(text));
    }

    private Request command(Request command, List<StoreRequest> requests) {
        int limits = 0;
        for (StoreRequest request : requests) {
            limits += request.limits();
        }
        command.arg(limits);
        for (StoreRequest request : requests) {
            for (PolicyRequest policy : request.policies()) {
                for (LimitOperation limit : policy.operations()) {
                    command.arg(keys.key(policy.policy().name(), limit.limit(), policy.caller()));
                }
            }
        }
        command.arg(clockOffset.getAsLong());
        long now = clock.now();
        int alike;
        for (int i = 0; i < requests.size(); i += alike) {
            StoreRequest request = requests.get(i);
            alike = 1;
            while (i + alike < requests.size() && requests.get(i + alike).hasOperationsOf(request)) {
                alike++;
            }
            command.arg(alike).arg(request.groups());
            for (PolicyRequest policy : request.policies()) {
                for (LimitOperation limit : policy.operations()) {
                    command.arg(limit.operation().function().path()).arg(limit.operation().arguments(now));
                }
            }
        }
        return command;
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java has no SHA-1, which Redis uses to identify scripts", e);
        }
    }

    private record Script(String text, String sha1) {
    }
}
