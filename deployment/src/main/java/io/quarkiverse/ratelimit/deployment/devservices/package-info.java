/**
 * Provides a Redis for dev mode, tests and {@code quarkus:run} if no container does. Internal.
 */
package io.quarkiverse.ratelimit.deployment.devservices;
