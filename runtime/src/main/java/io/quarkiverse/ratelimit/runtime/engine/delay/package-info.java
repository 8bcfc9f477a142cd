/**
 * Lets calls wait: for permits that they have acquired in advance, for a place in a queue, and for the end of a pause.
 * Internal.
 */
package io.quarkiverse.ratelimit.runtime.engine.delay;
