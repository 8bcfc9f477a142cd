package io.quarkiverse.ratelimit.runtime.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.vertx.KeySlot;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * Turns requests into calls of a script. The script consists of {@code algorithms.lua}, the files of the functions that these
 * requests need, and {@code decide.lua}.
 */
final class DecideScript {

    private static final String ALWAYS = "algorithms";
    private static final String NOT_RARE = "RARE = false";
    private static final String TOGETHER = "together";
    private static final String FOLDER = "io/quarkiverse/ratelimit/lua/";

    private final Map<Needed, Script> scripts = new ConcurrentHashMap<>();
    private final Map<String, Script> scriptsOfOneFile = new ConcurrentHashMap<>();
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

    /** The text of the script with these files. A file whose name continues another name shares the block of that file. */
    static String assembled(SortedSet<String> files, boolean rare) {
        StringBuilder script = new StringBuilder(always(rare));
        String block = null;
        for (String name : files) {
            if (name.equals(ALWAYS)) {
                continue;
            }
            if (block == null || !name.startsWith(block + '_')) {
                script.append(block == null ? "do\n" : "end\ndo\n");
                block = name;
            }
            script.append(file(name));
        }
        script.append(block == null ? "" : "end\n");
        return script.append(file("decide")).toString();
    }

    private static String always(boolean rare) {
        String text = file(ALWAYS);
        if (!text.contains(NOT_RARE)) {
            throw new IllegalStateException(ALWAYS + ".lua does not contain \"" + NOT_RARE + "\", which is replaced"
                    + " in scripts with rare operations");
        }
        return rare ? text.replace(NOT_RARE, "RARE = true") : text;
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
        String file = onlyFile(requests);
        if (file == null) {
            return anyScript(requests);
        }
        Script script = scriptsOfOneFile.get(file);
        return script != null ? script : scriptsOfOneFile.computeIfAbsent(file, ignored -> anyScript(requests));
    }

    /** The one file that all requests need, by far the most common case; {@code null} if they need more than one. */
    private static String onlyFile(List<StoreRequest> requests) {
        String file = null;
        for (StoreRequest request : requests) {
            Operation operation = request.isOneEnforcedLimit() ? request.policies().get(0).operations().get(0).operation()
                    : null;
            if (operation == null || operation.isRare() || file != null && !file.equals(operation.script())) {
                return null;
            }
            file = operation.script();
        }
        return file;
    }

    private Script anyScript(List<StoreRequest> requests) {
        SortedSet<String> files = new TreeSet<>();
        boolean rare = false;
        for (StoreRequest request : requests) {
            for (PolicyRequest policy : request.policies()) {
                for (LimitOperation limit : policy.operations()) {
                    files.addAll(limit.operation().scripts());
                    rare |= limit.operation().isRare();
                }
            }
            if (!request.isOneEnforcedLimit()) {
                files.add(TOGETHER);
            }
        }
        Needed needed = new Needed(files, rare);
        Script script = scripts.get(needed);
        return script != null ? script : scripts.computeIfAbsent(needed, this::make);
    }

    private Script make(Needed needed) {
        String text = change.apply(assembled(needed.files, needed.rare));
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
                    command.arg(limit.operation().function()).arg(limit.operation().arguments(now));
                }
            }
        }
        return command;
    }

    /** The text of a file. */
    static String file(String name) {
        String path = FOLDER + name + ".lua";
        try (InputStream file = DecideScript.class.getClassLoader().getResourceAsStream(path)) {
            if (file == null) {
                throw new IllegalStateException(path + " is not on the class path");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java has no SHA-1, which Redis uses to identify scripts", e);
        }
    }

    private record Needed(SortedSet<String> files, boolean rare) {
    }

    private record Script(String text, String sha1) {
    }
}
