package io.quarkiverse.ratelimit.deployment;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;

/**
 * Reads run-time properties at build time, for documentation and Dev Services only. They can change until the application
 * starts, so nothing else may depend on them. The default replaces a missing or invalid value.
 */
final class ConfiguredAtBuild {

    private static final Set<String> ALL_HEADERS = Set.of("ratelimit", "x-ratelimit");

    private final UnaryOperator<String> values;

    /** @param values returns the value of a property below {@code quarkus.rate-limit.}, or {@code null} */
    ConfiguredAtBuild(UnaryOperator<String> values) {
        this.values = values;
    }

    static ConfiguredAtBuild read() {
        Config config = ConfigProvider.getConfig();
        return new ConfiguredAtBuild(property -> config.getConfigValue("quarkus.rate-limit." + property).getValue());
    }

    /** The header families of responses. */
    Set<String> headers() {
        return value("headers").map(text -> Arrays.stream(text.toLowerCase(Locale.ROOT).replace('_', '-').split(","))
                .map(String::strip).collect(Collectors.toSet()))
                .orElse(ALL_HEADERS);
    }

    /** Whether limits are counted in memory, without Redis. */
    boolean countInMemory() {
        return is("memory", value("store"));
    }

    /** Whether any of these policies can deny a call. */
    boolean limit(List<PolicyUse> uses) {
        return !is("false", value("enabled")) && uses.stream().anyMatch(this::isEnforced);
    }

    /** Whether any of these policies denies calls while Redis is unavailable. */
    boolean denyWithoutRedis(List<PolicyUse> uses) {
        return !countInMemory() && uses.stream().filter(this::isEnforced).anyMatch(
                use -> is("deny", policy(use, "on-redis-failure").or(() -> value("on-redis-failure"))));
    }

    private boolean isEnforced(PolicyUse use) {
        return !is("false", policy(use, "enabled")) && !is("shadow", policy(use, "mode"));
    }

    private Optional<String> policy(PolicyUse use, String property) {
        return value("policies." + use.policy() + "." + property);
    }

    private Optional<String> value(String property) {
        return Optional.ofNullable(values.apply(property)).map(String::strip).filter(text -> !text.isEmpty());
    }

    private static boolean is(String expected, Optional<String> value) {
        return value.map(text -> text.toLowerCase(Locale.ROOT)).filter(expected::equals).isPresent();
    }
}
