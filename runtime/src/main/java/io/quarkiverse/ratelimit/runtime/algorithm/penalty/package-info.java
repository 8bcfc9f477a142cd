/** Blocks keys that are denied too often: the operation on a key, and the same in Java as in its scripts. Internal. */
package io.quarkiverse.ratelimit.runtime.algorithm.penalty;
