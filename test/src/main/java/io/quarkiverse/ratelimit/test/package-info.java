/**
 * Helps tests of applications: resets limits and advances the limiter's clock. Stable.
 */
package io.quarkiverse.ratelimit.test;
