/**
 * Shows decisions, and how the limiter is, to the outside: as meters, on spans, as events, in the application's health;
 * each only where the application has what it needs. Internal.
 */
package io.quarkiverse.ratelimit.runtime.observe;
