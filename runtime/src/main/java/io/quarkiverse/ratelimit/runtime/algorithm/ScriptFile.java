package io.quarkiverse.ratelimit.runtime.algorithm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The Lua files, in the order in which a script contains them. Each defines the function of its own path, unless it only
 * supports later files. A function names the earlier files that it needs. The files of a folder share their locals.
 */
public enum ScriptFile {

    ALGORITHMS(""),
    RESET(""),
    PREFETCH(""),
    MARK_ONCE(""),
    UNLESS_MARKED(""),
    FIXED_WINDOW_STATE("fixed_window/"),
    FIXED_WINDOW_ACQUIRE("fixed_window/", FIXED_WINDOW_STATE),
    FIXED_WINDOW_REFUND("fixed_window/", RESET, FIXED_WINDOW_STATE),
    SLIDING_WINDOW_STATE("sliding_window/"),
    SLIDING_WINDOW_ACQUIRE("sliding_window/", SLIDING_WINDOW_STATE),
    SLIDING_WINDOW_REFUND("sliding_window/", RESET, SLIDING_WINDOW_STATE),
    SLIDING_LOG_STATE("sliding_log/"),
    SLIDING_LOG_APPEND("sliding_log/"),
    SLIDING_LOG_ACQUIRE("sliding_log/", SLIDING_LOG_STATE, SLIDING_LOG_APPEND),
    SLIDING_LOG_REFUND("sliding_log/", RESET, SLIDING_LOG_STATE),
    TOKEN_BUCKET_STATE("token_bucket/"),
    TOKEN_BUCKET_LEVEL("token_bucket/"),
    TOKEN_BUCKET_ACQUIRE("token_bucket/", TOKEN_BUCKET_STATE),
    TOKEN_BUCKET_POINTS("token_bucket/"),
    TOKEN_BUCKET_ACQUIRE_TRACKED("token_bucket/", TOKEN_BUCKET_STATE, TOKEN_BUCKET_LEVEL, TOKEN_BUCKET_ACQUIRE,
            TOKEN_BUCKET_POINTS),
    TOKEN_BUCKET_LOWER("token_bucket/"),
    TOKEN_BUCKET_REFUND("token_bucket/", RESET, TOKEN_BUCKET_STATE, TOKEN_BUCKET_LEVEL, TOKEN_BUCKET_POINTS,
            TOKEN_BUCKET_LOWER),
    CONCURRENCY_STATE("concurrency/"),
    CONCURRENCY_ACQUIRE("concurrency/", CONCURRENCY_STATE),
    CONCURRENCY_REFUND("concurrency/", RESET, CONCURRENCY_STATE),
    PENALTY_STATE("penalty/"),
    PENALTY_APPLY("penalty/", PENALTY_STATE),
    TOGETHER(""),
    OVERFLOW(""),
    DECIDE(""),
    /** Script of its own, like the ones after it. */
    OVERRIDES(""),
    /** Begins the scripts of the two after it. */
    PAUSES(""),
    PAUSES_CHANGE(""),
    PAUSES_READ(""),
    DENIALS("");

    /** Folder whose files share their locals; empty for a file outside of folders. */
    public final String folder;
    /** Path of the file without {@code .lua}, which is also the name of its function. */
    public final String path;
    private final ScriptFile[] needed;

    /** @param needed the other files of the function */
    ScriptFile(String folder, ScriptFile... needed) {
        this.folder = folder;
        this.path = folder + name().toLowerCase(Locale.ROOT).substring(folder.length());
        this.needed = needed;
    }

    /** Returns the bit that stands for this file in a set of files. */
    public long bit() {
        return 1L << ordinal();
    }

    /** Returns the files of a script with the function of this file, one {@link #bit} each. */
    public long files() {
        long files = ALGORITHMS.bit() | bit() | DECIDE.bit();
        for (ScriptFile file : needed) {
            files |= file.bit();
        }
        return files;
    }

    public String text() {
        try (InputStream file = ScriptFile.class.getClassLoader()
                .getResourceAsStream("io/quarkiverse/ratelimit/lua/" + path + ".lua")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
