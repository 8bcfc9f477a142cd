/**
 * Implements the algorithms: each computes its decisions in Java and packs the arguments of its script. Internal.
 */
package io.quarkiverse.ratelimit.runtime.algorithm;
