package io.quarkiverse.ratelimit.runtime.policy.settings;

import static io.quarkiverse.ratelimit.runtime.policy.settings.PropertyGroup.items;
import static io.quarkiverse.ratelimit.runtime.policy.settings.PropertyGroup.written;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import javax.crypto.spec.SecretKeySpec;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.address.TrustedProxies;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.OnUnknown;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.RouteConfig;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.SmallRyeConfig;

/** Converts the configuration to {@link Settings}, or reports all mistakes together. */
public record SettingsReader(RateLimitConfig config, PropertyGroup group) {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_REPLICAS = 1_000_000;
    private static final int MAX_DELAYED = 1_000_000;
    private static final int IPV6_BITS = 128;
    private static final int MAX_PROXY_HOPS = 100;
    private static final int MAX_KEY_PREFIX = 64;
    private static final int MIN_SECRET = 16;
    private static final int MAX_SECRETS = 2;
    private static final String ADDRESS_HEADER = "address-header";
    /** Lower-case names of headers that do not have a single address. */
    private static final Set<String> LISTS_OF_ADDRESSES = Set.of("x-forwarded-for", "forwarded");
    private static final String TRUSTED_PROXIES = "quarkus.http.proxy.trusted-proxies";
    private static final String FORWARDING = "quarkus.http.proxy.proxy-address-forwarding";

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
        UnknownProperties unknown = new UnknownProperties(references.properties());
        GivenProperties given = new GivenProperties(source, mistakes, unknown);
        PropertyGroup group = new PropertyGroup(PropertyPath.ROOT, given, mistakes);
        report(unknown.in(given), config.unknownProperties(), mistakes);
        group.requireTrueOrFalse("enabled");
        for (String child : List.of("admin", "devservices", "health", "metrics", "tracing")) {
            group.child(child).requireTrueOrFalse("enabled");
        }
        SettingsReader reader = new SettingsReader(config, group);
        reader.requireRoles();
        Settings settings = reader.read(references, beans);
        mistakes.throwIfAny();
        return settings;
    }

    private static void report(SortedMap<String, String> unknown, OnUnknown reaction, Mistakes mistakes) {
        if (reaction == OnUnknown.FAIL) {
            for (Map.Entry<String, String> property : unknown.entrySet()) {
                mistakes.add(property.getKey(), property.getValue());
            }
        } else if (!unknown.isEmpty()) {
            LOG.warn("Ignored because of quarkus.rate-limit.unknown-properties=warn:\n- " + unknown.entrySet().stream()
                    .map(property -> property.getKey() + property.getValue()).collect(Collectors.joining("\n- ")));
        }
    }

    /** Reads the settings. They must not be used if there are mistakes. */
    private Settings read(PolicyReferences references, ResolverBeans beans) {
        SortedMap<String, PolicyConfig> policies = group.child("policies").named(config.policies());
        SortedMap<String, RouteConfig> routes = group.child("routes").named(config.routes());
        new ReferenceMistakes(group, policies, routes).report(references);
        int ipv6Prefix = (int) group.whole("ipv6-prefix", config.ipv6Prefix(), 1, IPV6_BITS);
        SortedMap<String, Policy> read = new TreeMap<>();
        AddressForm addresses = new AddressForm(Math.max(1, ipv6Prefix));
        for (String name : policies.keySet()) {
            read.put(name, new PolicyReader(group.child("policies", name), policies.get(name), beans, addresses)
                    .read(config.onRedisFailure()));
        }
        List<Route> onRoutes = new ArrayList<>();
        for (String name : routes.keySet()) {
            onRoutes.add(new RouteReader(group.child("routes", name), routes.get(name), read).read());
        }
        SortedMap<String, String> overflows = new OverflowReader(group, policies, read).read(references, onRoutes);
        return new Settings(config.enabled(), config.store(), keyPrefix(),
                group.duration("timeout", config.timeout(), MIN_TIMEOUT, MAX_TIMEOUT), config.onRedisFailure(),
                (int) group.whole("replicas", config.replicas(), 1, MAX_REPLICAS),
                (int) group.whole("max-delayed", config.maxDelayed(), 0, MAX_DELAYED), headers(),
                ipv6Prefix,
                (int) group.whole("proxy-hops", config.proxyHops(), 0, MAX_PROXY_HOPS), addressHeader(), reservationSecrets(),
                read, onRoutes, overflows);
    }

    /** Requires roles, except in dev mode, or if only the management interface serves administration. */
    private void requireRoles() {
        List<String> roles = items(config.adminRolesAllowed());
        if (!LaunchMode.current().isDev() && roles.isEmpty()
                && isTrue("quarkus.rate-limit.admin.enabled")
                && !isTrue("quarkus.management.enabled")) {
            group.child("admin").require("roles-allowed", Optional.empty(),
                    "quarkus.rate-limit.admin.enabled=true would let everybody change limits. Name the roles that may,"
                            + " or serve administration on the management interface: quarkus.management.enabled=true.");
        }
    }

    private boolean isTrue(String property) {
        return group.given().source.getOptionalValue(property, Boolean.class).orElse(false);
    }

    /** Returns the name of the header. Reports a header that callers could set, or that has no single address. */
    private String addressHeader() {
        if (config.addressHeader().isEmpty()) {
            return null;
        }
        String header = config.addressHeader().get().strip();
        TrustedProxies proxies = TrustedProxies
                .of(group.given().source.getOptionalValues(TRUSTED_PROXIES, String.class).orElse(List.of()));
        if (!KeyParser.isHeaderName(header)) {
            group.wrong(ADDRESS_HEADER,
                    "is no name of a header. Set it to the header in which the proxy sends the address of its"
                            + " caller, such as CF-Connecting-IP or X-Real-IP.");
        }
        if (LISTS_OF_ADDRESSES.contains(header.toLowerCase(Locale.ROOT))) {
            group.wrong(ADDRESS_HEADER, "is a list, to which every proxy appends. Remove address-header, and set"
                    + " quarkus.http.proxy.proxy-address-forwarding=true or quarkus.rate-limit.proxy-hops.");
        }
        if (config.proxyHops() > 0) {
            group.wrong(ADDRESS_HEADER, "has no meaning beside proxy-hops. Remove one of them.");
        }
        if (proxies.areNone()) {
            group.wrong(ADDRESS_HEADER,
                    "needs " + TRUSTED_PROXIES + ", or every caller could choose its address. Set that to the"
                            + " addresses of the proxies.");
        } else if (proxies.containCallers()) {
            group.wrong(ADDRESS_HEADER, "would let callers choose their address, because " + TRUSTED_PROXIES + " contains them."
                    + " Set that to the addresses of the proxies only.");
        } else if (proxies.hasOthers() && !isTrue(FORWARDING)) {
            group.wrong(ADDRESS_HEADER,
                    "needs addresses or blocks of addresses in " + TRUSTED_PROXIES + ": host names and ports"
                            + " are compared only with " + FORWARDING
                            + "=true. Set that, or write the addresses of the proxies.");
        }
        return header;
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

    /** Reports mistakes without the value, because nobody may read a secret in the log. */
    private List<SecretKeySpec> reservationSecrets() {
        List<String> secrets = items(config.reservationSecret());
        List<SecretKeySpec> keys = new ArrayList<>();
        boolean tooShort = false;
        for (String secret : secrets) {
            keys.add(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
            tooShort |= secret.codePointCount(0, secret.length()) < MIN_SECRET;
        }
        if (group.text("reservation-secret").isPresent() && (secrets.isEmpty() || secrets.size() > MAX_SECRETS || tooShort)) {
            group.mistakes().add(group.name("reservation-secret"), " must be one secret of at least " + MIN_SECRET
                    + " characters, or two with a comma between them. Its value is not shown.");
        }
        return keys;
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
