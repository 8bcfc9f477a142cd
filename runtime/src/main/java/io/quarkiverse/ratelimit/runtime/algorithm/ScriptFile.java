package io.quarkiverse.ratelimit.runtime.algorithm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The Lua files, in the order in which a script contains them. Each defines the function of its own path, unless it only
 * supports later files. The files of a folder share their locals.
 */
public enum ScriptFile {

    ALGORITHMS(""),
    RESET(""),
    PREFETCH(""),
    MARK_ONCE(""),
    UNLESS_MARKED(""),
    FIXED_WINDOW_STATE("fixed_window/"),
    FIXED_WINDOW_ACQUIRE("fixed_window/"),
    FIXED_WINDOW_REFUND("fixed_window/"),
    SLIDING_WINDOW_STATE("sliding_window/"),
    SLIDING_WINDOW_ACQUIRE("sliding_window/"),
    SLIDING_WINDOW_REFUND("sliding_window/"),
    SLIDING_LOG_STATE("sliding_log/"),
    SLIDING_LOG_APPEND("sliding_log/"),
    SLIDING_LOG_ACQUIRE("sliding_log/"),
    SLIDING_LOG_REFUND("sliding_log/"),
    TOKEN_BUCKET_STATE("token_bucket/"),
    TOKEN_BUCKET_LEVEL("token_bucket/"),
    TOKEN_BUCKET_ACQUIRE("token_bucket/"),
    TOKEN_BUCKET_POINTS("token_bucket/"),
    TOKEN_BUCKET_ACQUIRE_TRACKED("token_bucket/"),
    TOKEN_BUCKET_WITHOUT_CALL("token_bucket/"),
    TOKEN_BUCKET_REFUND("token_bucket/"),
    CONCURRENCY_STATE("concurrency/"),
    CONCURRENCY_ACQUIRE("concurrency/"),
    CONCURRENCY_REFUND("concurrency/"),
    PENALTY_STATE("penalty/"),
    PENALTY_APPLY("penalty/"),
    TOGETHER(""),
    DECIDE(""),
    /** A script of its own. */
    OVERRIDES(""),
    /** A script of its own. */
    DENIALS("");

    private static final String ROOT = "io/quarkiverse/ratelimit/lua/";

    private final String folder;
    /** The path of the file without {@code .lua}, which is also the name of its function. */
    public final String path;

    ScriptFile(String folder) {
        this.folder = folder;
        this.path = folder + name().toLowerCase(Locale.ROOT).substring(folder.length());
    }

    /** The files of a folder share their locals; empty for a file outside of folders. */
    public String folder() {
        return folder;
    }

    /** The files of a script: these and those that every script needs. */
    static Set<ScriptFile> set(ScriptFile first, ScriptFile... others) {
        EnumSet<ScriptFile> files = EnumSet.of(first, others);
        files.add(ALGORITHMS);
        files.add(DECIDE);
        return Collections.unmodifiableSet(files);
    }

    public String text() {
        String resource = ROOT + path + ".lua";
        try (InputStream file = ScriptFile.class.getClassLoader().getResourceAsStream(resource)) {
            if (file == null) {
                throw new IllegalStateException(resource + " is not on the class path");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
