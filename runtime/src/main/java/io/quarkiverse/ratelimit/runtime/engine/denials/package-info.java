/** Remembers denials: to deny the next calls without the store, and to count them per key. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.denials;
