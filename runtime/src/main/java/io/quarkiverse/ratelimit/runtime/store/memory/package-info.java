/** Stores limits, overrides and counts of denials in the memory of one instance. Internal. */
package io.quarkiverse.ratelimit.runtime.store.memory;
