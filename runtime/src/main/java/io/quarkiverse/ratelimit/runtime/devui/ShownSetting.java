package io.quarkiverse.ratelimit.runtime.devui;

/**
 * A property of a policy as it is in force.
 *
 * @param property without the prefix that all of the policy's have
 * @param origin where the value comes from
 */
public record ShownSetting(String property, String value, String origin) {
}
