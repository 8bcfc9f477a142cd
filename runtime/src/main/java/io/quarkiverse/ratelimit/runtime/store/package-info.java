/** The requests to stores and their replies, and the store in this instance's memory. Internal. */
package io.quarkiverse.ratelimit.runtime.store;
