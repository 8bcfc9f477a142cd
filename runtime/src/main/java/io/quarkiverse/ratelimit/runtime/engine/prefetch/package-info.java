/** Hands out permits that this instance has acquired ahead. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.prefetch;
