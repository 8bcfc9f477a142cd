/** Decides the calls of REST clients, and pauses those that the called service delays. Internal. */
package io.quarkiverse.ratelimit.runtime.entry.client;
