/** Decides in Redis: the queue of requests, the script that decides them, and the names of keys. Internal. */
package io.quarkiverse.ratelimit.runtime.store.redis;
