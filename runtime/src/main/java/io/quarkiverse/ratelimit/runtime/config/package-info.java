/**
 * What can be configured under {@code quarkus.rate-limit}, as text: nothing is converted here. Internal.
 */
package io.quarkiverse.ratelimit.runtime.config;
