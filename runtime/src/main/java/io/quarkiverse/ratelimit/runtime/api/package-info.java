/**
 * The entrance for code: limiters that are injected, found or made. Internal.
 */
package io.quarkiverse.ratelimit.runtime.api;
