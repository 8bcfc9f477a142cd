/**
 * Pauses keys when called services or code ask for it, and empties their buckets, so that calls go at a pace afterwards.
 * Internal.
 */
package io.quarkiverse.ratelimit.runtime.engine.pauses;
