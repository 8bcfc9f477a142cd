package io.quarkiverse.ratelimit.runtime.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** Turns questions into calls of the script that is made of {@code decide.lua} and every algorithm's file. */
final class DecideScript {

    private static final String FOLDER = "io/quarkiverse/ratelimit/lua/";
    private static final Map<Algorithm, String> NAMES = new EnumMap<>(Algorithm.class);

    static {
        for (Algorithm algorithm : Algorithm.values()) {
            NAMES.put(algorithm, algorithm.name().toLowerCase(Locale.ROOT));
        }
    }

    private final String text;
    private final String sha1;
    private final LimitKeys keys;
    private final LongSupplier clockOffset;

    /**
     * @param keys names the keys
     * @param clockOffset microseconds to add to the server's clock; not 0 in tests only
     */
    DecideScript(LimitKeys keys, LongSupplier clockOffset) {
        this(keys, clockOffset, assembled());
    }

    DecideScript(LimitKeys keys, LongSupplier clockOffset, String text) {
        this.keys = keys;
        this.clockOffset = clockOffset;
        this.text = text;
        this.sha1 = sha1(text);
    }

    /** The script's text. */
    static String assembled() {
        StringBuilder script = new StringBuilder("local algorithms = {}\n");
        for (Algorithm algorithm : Algorithm.values()) {
            script.append("do\n").append(file(NAMES.get(algorithm))).append("end\n");
        }
        return script.append(file("decide")).toString();
    }

    /** One call of the loaded script for these questions. */
    Request evalsha(List<Pending> questions) {
        return request(Request.cmd(Command.EVALSHA).arg(sha1), questions);
    }

    /** The same call with the script's text, which loads it. */
    Request eval(List<Pending> questions) {
        return request(Request.cmd(Command.EVAL).arg(text), questions);
    }

    private Request request(Request request, List<Pending> questions) {
        int limits = 0;
        for (Pending pending : questions) {
            limits += pending.limits;
        }
        request.arg(limits);
        for (Pending pending : questions) {
            for (Ask ask : pending.question.asks()) {
                Policy policy = ask.charge().policy();
                for (int i = 0; i < policy.limits().size(); i++) {
                    request.arg(keys.key(policy, i, ask.caller()));
                }
            }
        }
        request.arg(clockOffset.getAsLong());
        for (Pending pending : questions) {
            request.arg(pending.question.groups());
            for (Ask ask : pending.question.asks()) {
                List<PolicyLimit> policyLimits = ask.charge().policy().limits();
                for (int i = 0; i < policyLimits.size(); i++) {
                    request.arg(NAMES.get(policyLimits.get(i).limit().algorithm()))
                            .arg(ask.charge().arguments(i));
                }
            }
        }
        return request;
    }

    private static String file(String name) {
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
            throw new IllegalStateException("This Java has no SHA-1, by which Redis names scripts", e);
        }
    }
}
