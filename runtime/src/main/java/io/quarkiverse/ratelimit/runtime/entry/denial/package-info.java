/**
 * Describes denied calls in terms that every protocol can express. The entry points write them in the form of their
 * protocol. Internal.
 */
package io.quarkiverse.ratelimit.runtime.entry.denial;
