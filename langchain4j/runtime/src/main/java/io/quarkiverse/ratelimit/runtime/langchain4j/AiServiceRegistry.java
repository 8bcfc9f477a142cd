package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.List;

/** The limited methods of all AI services. */
public record AiServiceRegistry(List<AiServiceMethod> all) {

    /**
     * A limited method of an AI service, found at build time.
     *
     * @param id the method, as in {@code LimitedMethod}
     * @param model the name of its model; {@code null} for the default model
     * @param streaming whether it uses the streaming model
     * @param templateTokens the estimated tokens of its message templates
     */
    public record AiServiceMethod(String id, String model, boolean streaming, long templateTokens) {
    }
}
