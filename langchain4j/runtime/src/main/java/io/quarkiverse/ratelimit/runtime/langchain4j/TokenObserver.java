package io.quarkiverse.ratelimit.runtime.langchain4j;

/** Observes the tokens of language models. Methods may run on any thread and must not block. */
@FunctionalInterface
public interface TokenObserver {

    /**
     * @param estimated the tokens reserved before the call
     * @param used the tokens used by the call
     */
    void settled(String policy, long estimated, long used);
}
