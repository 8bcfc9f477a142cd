/**
 * Decides in Redis: connections, the script, key names. Only this package uses Redis. Internal.
 */
package io.quarkiverse.ratelimit.runtime.redis;
