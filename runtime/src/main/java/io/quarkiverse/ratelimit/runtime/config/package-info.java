/**
 * Maps the configuration under {@code quarkus.rate-limit} to types; nothing is checked here. Internal.
 */
package io.quarkiverse.ratelimit.runtime.config;
