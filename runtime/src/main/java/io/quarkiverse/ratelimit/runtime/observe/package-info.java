/**
 * Shows what the limiter does and how it is to those who run the application. Internal.
 */
package io.quarkiverse.ratelimit.runtime.observe;
