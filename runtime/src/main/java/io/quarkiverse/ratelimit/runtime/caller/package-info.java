/**
 * Identifies callers: finds the caller's address and composes the stored form of its key. Internal.
 */
package io.quarkiverse.ratelimit.runtime.caller;
