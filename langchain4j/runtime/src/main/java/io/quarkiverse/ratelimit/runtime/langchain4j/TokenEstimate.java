package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.nio.charset.StandardCharsets;

/**
 * Estimates the tokens of a text: one for every 4 bytes of UTF-8, which is near what models count for most languages.
 */
public final class TokenEstimate {

    private static final int BYTES_PER_TOKEN = 4;
    private static final String MODEL_TYPES = "dev.langchain4j.";

    private TokenEstimate() {
    }

    public static long of(String text) {
        return text == null ? 0
                : (text.getBytes(StandardCharsets.UTF_8).length + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
    }

    /** Estimates the arguments of a call. Images and other types of LangChain4j are no text. */
    static long of(Object[] arguments) {
        long tokens = 0;
        for (Object argument : arguments) {
            if (argument != null && !argument.getClass().getName().startsWith(MODEL_TYPES)) {
                tokens += of(argument.toString());
            }
        }
        return tokens;
    }
}
