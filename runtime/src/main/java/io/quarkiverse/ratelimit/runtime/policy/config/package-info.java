/** Maps the configuration under {@code quarkus.rate-limit} to types, without validation. Internal. */
package io.quarkiverse.ratelimit.runtime.policy.config;
