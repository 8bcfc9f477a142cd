/**
 * Says who is calling: the caller's address and the stored form of its key. Internal.
 */
package io.quarkiverse.ratelimit.runtime.caller;
