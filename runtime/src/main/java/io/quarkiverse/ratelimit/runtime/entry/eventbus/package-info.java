/** The replies to messages of the event bus that are denied. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.eventbus;
