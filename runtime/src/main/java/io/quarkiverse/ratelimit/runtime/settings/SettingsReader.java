package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.oneOf;
import static io.quarkiverse.ratelimit.runtime.settings.Property.trueOrFalse;
import static io.quarkiverse.ratelimit.runtime.settings.Property.whole;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import io.quarkiverse.ratelimit.runtime.config.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.config.Lenient;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.RouteConfig;
import io.quarkiverse.ratelimit.runtime.config.Store;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.SmallRyeConfig;

/** Converts the configuration to {@link Settings}, or reports all mistakes together. */
public final class SettingsReader {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_REPLICAS = 1_000_000;
    private static final int MAX_DELAYED = 1_000_000;
    private static final int IPV6_BITS = 128;
    private static final int MAX_PROXY_HOPS = 100;
    private static final int MAX_KEY_PREFIX = 64;

    private final RateLimitConfig config;
    private final SortedMap<String, PolicyConfig> policies;
    private final SortedMap<String, RouteConfig> routes;
    private final GivenProperties given;
    private final BeanNames beans;
    private final Mistakes mistakes;

    private SettingsReader(RateLimitConfig config, GivenProperties given, BeanNames beans, Mistakes mistakes) {
        this.config = config;
        this.policies = Variables.withoutAppearances(config.policies(), PropertyPath.ROOT.child("policies"), given);
        this.routes = Variables.withoutAppearances(config.routes(), PropertyPath.ROOT.child("routes"), given);
        this.given = given;
        this.beans = beans;
        this.mistakes = mistakes;
    }

    /**
     * @param source the source of {@code config}; its property names are checked for unknown properties
     * @param references the uses of policies; they are checked for unknown policies
     * @param beans the beans of the application that policies can name
     * @throws ConfigurationException if there are mistakes; its message lists every mistake with its remedy
     */
    public static Settings read(RateLimitConfig config, SmallRyeConfig source, PolicyReferences references,
            BeanNames beans) {
        Mistakes mistakes = new Mistakes();
        GivenProperties given = new GivenProperties(source, mistakes);
        UnknownProperties unknown = new UnknownProperties(source, mistakes);
        given.reportEmpty();
        unknown.reportMisspelt(given);
        given.reportNames();
        SettingsReader reader = new SettingsReader(config, given, beans, mistakes);
        unknown.reportIneffective(reader.policies, reader.routes, given);
        new ReferenceMistakes(reader.policies, reader.routes, given, mistakes).report(references);
        Settings settings = reader.read();
        reader.requireTrueOrFalse(source, "admin", "devservices");
        reader.requireRoles(source);
        mistakes.throwIfAny();
        return settings;
    }

    /** The settings. They must not be used if there are mistakes. */
    private Settings read() {
        OnRedisFailure onRedisFailure = oneOf(OnRedisFailure.class,
                property("on-redis-failure", config.onRedisFailure())).orElse(null);
        SortedMap<String, Policy> read = new TreeMap<>();
        policies.forEach((name, policy) -> read.put(name,
                new PolicyReader(name, policy, given, beans, mistakes).read(onRedisFailure)));
        List<Route> onRoutes = new ArrayList<>();
        routes.forEach((name, route) -> onRoutes.add(new RouteReader(name, route, read, given, mistakes).read()));
        return new Settings(trueOrFalse(property("enabled", config.enabled())).orElse(false),
                oneOf(Store.class, property("store", config.store())).orElse(null), keyPrefix(),
                duration(property("timeout", config.timeout()), MIN_TIMEOUT, MAX_TIMEOUT).orElse(null), onRedisFailure,
                whole(property("replicas", config.replicas()), 1, MAX_REPLICAS).orElse(0),
                whole(property("max-delayed", config.maxDelayed()), 0, MAX_DELAYED).orElse(0),
                headers(),
                whole(property("ipv6-prefix", config.ipv6Prefix()), 1, IPV6_BITS).orElse(0),
                whole(property("proxy-hops", config.proxyHops()), 0, MAX_PROXY_HOPS).orElse(0), read, onRoutes);
    }

    /** Quarkus reads other texts at build time as {@code false}, or as {@code true}. */
    private void requireTrueOrFalse(SmallRyeConfig fixedAtBuildTime, String... groups) {
        for (String group : groups) {
            PropertyPath enabled = PropertyPath.ROOT.child(group, "enabled");
            trueOrFalse(given.property(enabled,
                    fixedAtBuildTime.getOptionalValue(enabled.toString(), new Lenient.ToBoolean())));
        }
    }

    /** Without roles, only the management interface may serve administration, except in dev mode. */
    private void requireRoles(SmallRyeConfig fixedAtBuildTime) {
        Property<List<String>> roles = given.property(PropertyPath.ROOT.child("admin", "roles-allowed"),
                config.admin().rolesAllowed());
        if (!LaunchMode.current().isDev() && Property.items(roles).isEmpty()
                && isTrue(fixedAtBuildTime, "quarkus.rate-limit.admin.enabled")
                && !isTrue(fixedAtBuildTime, "quarkus.management.enabled")) {
            roles.required("quarkus.rate-limit.admin.enabled=true would let everybody change limits. Name the roles that may,"
                    + " or serve administration on the management interface: quarkus.management.enabled=true.");
        }
    }

    private static boolean isTrue(SmallRyeConfig config, String property) {
        return config.getOptionalValue(property, Boolean.class).orElse(false);
    }

    private String keyPrefix() {
        Property<String> keyPrefix = property("key-prefix", config.keyPrefix());
        Optional<String> text = keyPrefix.value().filter(SettingsReader::isKeyPrefix);
        return text.or(() -> keyPrefix
                .wrong("must be 1 to 64 characters without braces, white space and control characters.")).orElse(null);
    }

    /** A loop, because a regular expression for all kinds of white space takes milliseconds at start. */
    private static boolean isKeyPrefix(String text) {
        for (char c : text.toCharArray()) {
            if (c == '{' || c == '}' || Character.isWhitespace(c) || Character.isSpaceChar(c) || Character.isISOControl(c)) {
                return false;
            }
        }
        return !text.isEmpty() && text.codePointCount(0, text.length()) <= MAX_KEY_PREFIX;
    }

    private Set<HeaderFamily> headers() {
        Property<List<HeaderFamily>> headers = property("headers", config.headers());
        List<HeaderFamily> families = headers.value().orElse(List.of());
        boolean allConvert = headers.texts().isEmpty() || headers.texts().size() == families.size();
        if (!allConvert || families.size() > 1 && families.contains(HeaderFamily.NONE)) {
            headers.wrong("must be any of " + Property.written(EnumSet.complementOf(EnumSet.of(HeaderFamily.NONE)))
                    + ", comma-separated, or " + Lenient.written(HeaderFamily.NONE) + " alone.");
        }
        return families.contains(HeaderFamily.NONE) ? Set.of() : Set.copyOf(families);
    }

    private <T> Property<T> property(String name, Optional<T> value) {
        return given.property(PropertyPath.ROOT.child(name), value);
    }
}
