/** Token buckets and leaky buckets: the operations on a key, and the same arithmetic in Java as in their scripts. Internal. */
package io.quarkiverse.ratelimit.runtime.algorithm.bucket;
