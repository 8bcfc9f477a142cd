/** Limits on calls that run at the same time: the operations on a key, and the same in Java as in their scripts. Internal. */
package io.quarkiverse.ratelimit.runtime.algorithm.concurrency;
