/**
 * Asks Redis: connections, the script, key names; the only package that knows Redis. Internal.
 */
package io.quarkiverse.ratelimit.runtime.redis;
