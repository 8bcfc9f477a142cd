/**
 * Prepares the application at build time: finds limited methods and registers the entry points that they need.
 */
package io.quarkiverse.ratelimit.deployment;
