package io.quarkiverse.ratelimit.runtime.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.config.RouteConfig;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUsers;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.SmallRyeConfig;

/** Turns what is configured into {@link Settings}, or reports all mistakes together. */
public final class SettingsReader {

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_REPLICAS = 1_000_000;
    private static final int MAX_HELD = 1_000_000;
    private static final int IPV6_BITS = 128;
    private static final Pattern KEY_PREFIX = Pattern.compile("[^{}\\s\\p{Cntrl}]{1,64}", Pattern.UNICODE_CHARACTER_CLASS);

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
     * @param source where {@code config} comes from; asked for the names of all properties, to find unknown ones
     * @param users whatever names policies, to find those that name none
     * @param beans those of the application that policies may name
     * @throws ConfigurationException when anything is wrong; its message lists every mistake with its remedy
     */
    public static Settings read(RateLimitConfig config, SmallRyeConfig source, PolicyUsers users,
            BeanNames beans) {
        Mistakes mistakes = new Mistakes();
        GivenProperties given = new GivenProperties(source);
        given.reportEmpty(mistakes);
        new UnknownProperties(source, config, mistakes).report(given);
        SettingsReader reader = new SettingsReader(config, given, beans, mistakes);
        new UserMistakes(reader.policies, reader.routes, mistakes).report(users);
        Settings settings = reader.read();
        mistakes.throwIfAny();
        return settings;
    }

    /** The settings; not to be used when there are mistakes. */
    private Settings read() {
        OnRedisFailure onRedisFailure = property("on-redis-failure", config.onRedisFailure()).oneOf(OnRedisFailure.class)
                .orElse(null);
        SortedMap<String, Policy> read = new TreeMap<>();
        policies.forEach((name, policy) -> read.put(name,
                new PolicyReader(name, policy, given, beans, mistakes).read(onRedisFailure)));
        List<Route> onRoutes = new ArrayList<>();
        routes.forEach((name, route) -> onRoutes.add(new RouteReader(name, route, read, mistakes).read()));
        return new Settings(property("enabled", config.enabled()).trueOrFalse().orElse(false), keyPrefix(),
                property("timeout", config.timeout()).duration(MIN_TIMEOUT, MAX_TIMEOUT).orElse(null), onRedisFailure,
                property("replicas", config.replicas()).whole(1, MAX_REPLICAS).orElse(0L).intValue(),
                property("max-held", config.maxHeld()).whole(0, MAX_HELD).orElse(0L).intValue(),
                property("headers", config.headers()).anyOf(HeaderFamily.class).orElse(Set.of()),
                property("ipv6-prefix", config.ipv6Prefix()).whole(1, IPV6_BITS).orElse(0L).intValue(), read, onRoutes);
    }

    private String keyPrefix() {
        Property keyPrefix = property("key-prefix", config.keyPrefix());
        Optional<String> text = keyPrefix.text().filter(KEY_PREFIX.asMatchPredicate());
        return text.or(() -> keyPrefix
                .wrong("must be 1 to 64 characters without braces, white space and control characters.")).orElse(null);
    }

    private Property property(String name, Optional<String> text) {
        return new Property(PropertyPath.ROOT.child(name).toString(), text, mistakes);
    }
}
