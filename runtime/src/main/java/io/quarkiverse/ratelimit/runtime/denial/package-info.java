/**
 * What a denied caller gets, in terms that every protocol can express. The entry points write it in their protocol's form.
 * Internal.
 */
package io.quarkiverse.ratelimit.runtime.denial;
