package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.PropertyGroup.items;
import static io.quarkiverse.ratelimit.runtime.settings.PropertyGroup.written;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig.RouteConfig;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.SmallRyeConfig;

/** Converts the configuration to {@link Settings}, or reports all mistakes together. */
public record SettingsReader(RateLimitConfig config, PropertyGroup group) {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_REPLICAS = 1_000_000;
    private static final int MAX_DELAYED = 1_000_000;
    private static final int IPV6_BITS = 128;
    private static final int MAX_PROXY_HOPS = 100;
    private static final int MAX_KEY_PREFIX = 64;

    /** The resolver beans that configuration can name, by name. A name must not have several. */
    public record ResolverBeans(Map<String, ? extends List<?>> keys, Map<String, ? extends List<?>> plans) {
    }

    /**
     * @param source the source of {@code config}; its property names are checked for unknown properties
     * @param references the uses of policies; they are checked for unknown policies
     * @param beans the beans of the application that policies can name
     * @throws ConfigurationException if there are mistakes; its message lists every mistake with its remedy
     */
    public static Settings read(RateLimitConfig config, SmallRyeConfig source, PolicyReferences references,
            ResolverBeans beans) {
        Mistakes mistakes = new Mistakes();
        PropertyGroup group = new PropertyGroup(PropertyPath.ROOT, new GivenProperties(source, mistakes), mistakes);
        new UnknownProperties(group).report();
        List.of(group, group.child("admin"), group.child("devservices"))
                .forEach(parent -> parent.requireTrueOrFalse("enabled"));
        SettingsReader reader = new SettingsReader(config, group);
        reader.requireRoles(source);
        Settings settings = reader.read(references, beans);
        mistakes.throwIfAny();
        return settings;
    }

    /** The settings. They must not be used if there are mistakes. */
    private Settings read(PolicyReferences references, ResolverBeans beans) {
        SortedMap<String, PolicyConfig> policies = group.child("policies").named(config.policies());
        SortedMap<String, RouteConfig> routes = group.child("routes").named(config.routes());
        new ReferenceMistakes(group, policies, routes).report(references);
        SortedMap<String, Policy> read = new TreeMap<>();
        policies.forEach((name, policy) -> read.put(name,
                new PolicyReader(group.child("policies", name), policy, beans).read(config.onRedisFailure())));
        List<Route> onRoutes = new ArrayList<>();
        routes.forEach((name, route) -> onRoutes.add(new RouteReader(group.child("routes", name), route, read).read()));
        return new Settings(config.enabled(), config.store(), keyPrefix(),
                group.duration("timeout", config.timeout(), MIN_TIMEOUT, MAX_TIMEOUT), config.onRedisFailure(),
                (int) group.whole("replicas", config.replicas(), 1, MAX_REPLICAS),
                (int) group.whole("max-delayed", config.maxDelayed(), 0, MAX_DELAYED), headers(),
                (int) group.whole("ipv6-prefix", config.ipv6Prefix(), 1, IPV6_BITS),
                (int) group.whole("proxy-hops", config.proxyHops(), 0, MAX_PROXY_HOPS), read, onRoutes);
    }

    /** Without roles, only the management interface may serve administration, except in dev mode. */
    private void requireRoles(SmallRyeConfig fixedAtBuildTime) {
        List<String> roles = items(config.admin().rolesAllowed());
        if (!LaunchMode.current().isDev() && roles.isEmpty()
                && isTrue(fixedAtBuildTime, "quarkus.rate-limit.admin.enabled")
                && !isTrue(fixedAtBuildTime, "quarkus.management.enabled")) {
            group.child("admin").require("roles-allowed", Optional.empty(),
                    "quarkus.rate-limit.admin.enabled=true would let everybody change limits. Name the roles that may,"
                            + " or serve administration on the management interface: quarkus.management.enabled=true.");
        }
    }

    private static boolean isTrue(SmallRyeConfig config, String property) {
        return config.getOptionalValue(property, Boolean.class).orElse(false);
    }

    private String keyPrefix() {
        String prefix = config.keyPrefix();
        boolean valid = !prefix.isEmpty() && prefix.codePointCount(0, prefix.length()) <= MAX_KEY_PREFIX;
        // a loop, because a regular expression for all kinds of white space takes milliseconds at start
        for (char c : prefix.toCharArray()) {
            valid &= c != '{' && c != '}' && !Character.isWhitespace(c) && !Character.isSpaceChar(c)
                    && !Character.isISOControl(c);
        }
        if (!valid) {
            group.wrong("key-prefix", "must be 1 to 64 characters without braces, white space and control characters.");
        }
        return prefix;
    }

    private Set<HeaderFamily> headers() {
        Set<HeaderFamily> families = Set.copyOf(config.headers());
        boolean none = families.contains(HeaderFamily.NONE);
        if (none && families.size() > 1) {
            group.wrong("headers", "must be any of " + written(EnumSet.complementOf(EnumSet.of(HeaderFamily.NONE)))
                    + ", comma-separated, or none alone.");
        }
        return none ? Set.of() : families;
    }
}
