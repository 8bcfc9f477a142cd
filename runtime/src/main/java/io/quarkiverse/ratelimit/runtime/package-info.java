/**
 * Carries what the build found into the application. Internal.
 */
package io.quarkiverse.ratelimit.runtime;
