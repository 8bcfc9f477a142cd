package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;

/**
 * Holds one policy's part of a request.
 *
 * @param shadow whether the policy counts the call but cannot deny it
 * @param caller the stored form of the caller's key
 * @param steps all must allow the call; none takes effect when one denies it
 */
public record PolicyRequest(String policy, boolean shadow, String caller, List<LimitOperation> steps) {
}
