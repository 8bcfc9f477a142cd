/**
 * Measures the limiter, always as a ratio to a reference in the same, interleaved run.
 */
package io.quarkiverse.ratelimit.benchmarks;
