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

import io.quarkiverse.ratelimit.runtime.policy.PolicyUse;

/**
 * What is configured when the application is built. Until it starts all of it can change, so nothing that is decided may
 * depend on it, and what is wrong or not known yet is taken for the default.
 */
final class ConfiguredAtBuild {

    private static final Set<String> ALL_HEADERS = Set.of("ratelimit", "x-ratelimit");

    private final UnaryOperator<String> values;

    /** @param values gives the value of a property after {@code quarkus.rate-limit.}, {@code null} for none */
    ConfiguredAtBuild(UnaryOperator<String> values) {
        this.values = values;
    }

    static ConfiguredAtBuild read() {
        Config config = ConfigProvider.getConfig();
        return new ConfiguredAtBuild(property -> config.getConfigValue("quarkus.rate-limit." + property).getValue());
    }

    /** The families of headers that answers have. */
    Set<String> headers() {
        return value("headers").map(text -> Arrays.stream(text.toLowerCase(Locale.ROOT).replace('_', '-').split(","))
                .map(String::strip).collect(Collectors.toSet()))
                .orElse(ALL_HEADERS);
    }

    /** Whether any of these policies may deny a call. */
    boolean limit(List<PolicyUse> uses) {
        return !is("false", value("enabled")) && uses.stream().anyMatch(this::isEnforced);
    }

    /** Whether a call under these policies is refused while Redis is away. */
    boolean refuseWithoutRedis(List<PolicyUse> uses) {
        return uses.stream().filter(this::isEnforced).anyMatch(
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
