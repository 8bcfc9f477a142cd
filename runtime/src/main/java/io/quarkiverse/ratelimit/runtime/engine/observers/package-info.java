/** Notifies observers of decisions. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.observers;
