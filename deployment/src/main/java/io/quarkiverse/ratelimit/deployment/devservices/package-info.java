/**
 * Gives dev mode, tests and {@code quarkus:run} a Redis where no container does. Internal.
 */
package io.quarkiverse.ratelimit.deployment.devservices;
