/** Identifies callers: reads their attributes and composes the stored form of their keys. Internal. */
package io.quarkiverse.ratelimit.runtime.caller;
