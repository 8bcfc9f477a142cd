/** Sliding logs: the operations on a key, and the same arithmetic in Java as in their scripts. Internal. */
package io.quarkiverse.ratelimit.runtime.algorithm.log;
