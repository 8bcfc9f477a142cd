/**
 * Counts: one file per algorithm holds its arithmetic in Java and the arguments of its script. Internal.
 */
package io.quarkiverse.ratelimit.runtime.algorithm;
