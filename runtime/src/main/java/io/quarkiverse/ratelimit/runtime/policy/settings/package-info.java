/** Converts the configuration to policies when the application starts, or reports all mistakes together. Internal. */
package io.quarkiverse.ratelimit.runtime.policy.settings;
