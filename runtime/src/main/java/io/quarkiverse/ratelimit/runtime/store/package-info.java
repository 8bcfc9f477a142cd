/**
 * What is asked of a store of counts and what it answers, and the store in this instance's memory. Internal.
 */
package io.quarkiverse.ratelimit.runtime.store;
