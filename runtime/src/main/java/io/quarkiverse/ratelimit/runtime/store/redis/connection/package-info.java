/** Connections to one Redis server, and its outages. Internal. */
package io.quarkiverse.ratelimit.runtime.store.redis.connection;
