/**
 * The script that decides requests: its text, its arguments and its reply, also for equal requests that are merged. Internal.
 */
package io.quarkiverse.ratelimit.runtime.redis.script;
