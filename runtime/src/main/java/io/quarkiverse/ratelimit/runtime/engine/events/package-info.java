/** Notifies observers of decisions, and logs failures and mistakes. Internal. */
package io.quarkiverse.ratelimit.runtime.engine.events;
