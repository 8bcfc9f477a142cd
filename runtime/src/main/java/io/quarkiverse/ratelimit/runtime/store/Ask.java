package io.quarkiverse.ratelimit.runtime.store;

/**
 * One policy's part of a question.
 *
 * @param caller the stored form of the caller's key
 */
public record Ask(Charge charge, String caller) {
}
