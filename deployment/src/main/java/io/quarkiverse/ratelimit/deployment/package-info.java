/**
 * Prepares the application at build time: finds what is guarded and registers the entrances that it needs.
 */
package io.quarkiverse.ratelimit.deployment;
