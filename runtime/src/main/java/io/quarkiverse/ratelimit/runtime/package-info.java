/**
 * Passes what the build found to the application. Internal.
 */
package io.quarkiverse.ratelimit.runtime;
