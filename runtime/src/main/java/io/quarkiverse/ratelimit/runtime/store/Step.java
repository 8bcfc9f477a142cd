package io.quarkiverse.ratelimit.runtime.store;

import io.quarkiverse.ratelimit.runtime.algorithm.Act;

/** What is done to the key of one limit. */
public record Step(String limit, Act act) {
}
