package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

/**
 * One policy's part of a question.
 *
 * @param shadow whether it is counted but cannot refuse the call
 * @param caller the stored form of the caller's key
 * @param steps all must admit the call, none is done when one refuses
 */
public record Ask(String policy, boolean shadow, String caller, List<Step> steps) {
}
