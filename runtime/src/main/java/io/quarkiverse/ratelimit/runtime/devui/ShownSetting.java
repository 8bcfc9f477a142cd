package io.quarkiverse.ratelimit.runtime.devui;

/**
 * A property of a policy with its value.
 *
 * @param property the name without the prefix of the policy
 * @param origin the source of the value
 */
public record ShownSetting(String property, String value, String origin) {
}
