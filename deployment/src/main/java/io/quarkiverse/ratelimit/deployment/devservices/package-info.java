/**
 * Gives dev mode, tests and {@code quarkus:run} a Redis where no container runtime does. Internal.
 */
package io.quarkiverse.ratelimit.deployment.devservices;
