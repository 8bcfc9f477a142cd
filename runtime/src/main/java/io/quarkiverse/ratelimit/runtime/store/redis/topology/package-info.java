/** Finds and connects the servers that hold the keys: one, a master behind sentinels or replicas, or a cluster. Internal. */
package io.quarkiverse.ratelimit.runtime.store.redis.topology;
