/**
 * Fixed windows, also of a calendar, and sliding windows: the operations on a key, and the same arithmetic in Java as in their
 * scripts. Internal.
 */
package io.quarkiverse.ratelimit.runtime.algorithm.window;
