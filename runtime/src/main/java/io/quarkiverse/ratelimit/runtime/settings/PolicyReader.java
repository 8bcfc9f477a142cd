package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.items;
import static io.quarkiverse.ratelimit.runtime.settings.Property.oneOf;
import static io.quarkiverse.ratelimit.runtime.settings.Property.trueOrFalse;
import static io.quarkiverse.ratelimit.runtime.settings.Property.whole;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressBlock;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Exemptions;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.smallrye.common.net.CidrAddress;

/** Reads one policy with its limits. */
final class PolicyReader {

    private static final Duration MAX_DENIAL = Duration.ofMinutes(1);
    private static final Duration MIN_PREFETCH_TIME = Duration.ofMillis(1);
    private static final Duration MAX_PREFETCH_TIME = Duration.ofMinutes(1);
    private static final Duration PREFETCH_TIME = Duration.ofMillis(500);

    private final String name;
    private final PolicyConfig config;
    private final PropertyPath path;
    private final GivenProperties given;
    private final BeanNames beans;
    private final Mistakes mistakes;

    PolicyReader(String name, PolicyConfig config, GivenProperties given, BeanNames beans, Mistakes mistakes) {
        this.name = name;
        this.config = config;
        this.path = PropertyPath.ROOT.child("policies", name);
        this.given = given;
        this.beans = beans;
        this.mistakes = mistakes;
    }

    /** The policy. It must not be used if there are mistakes. */
    Policy read(OnRedisFailure onRedisFailure) {
        mistakes.requireName("policy", name, path);
        List<PolicyLimit> limits = limits();
        MissingValueWarning warning = new MissingValueWarning(name);
        return new Policy(name, limits, key(warning),
                oneOf(MissingKey.class, property("missing-key", config.missingKey())).orElse(null),
                oneOf(OnRedisFailure.class, property("on-redis-failure", config.onRedisFailure())).orElse(onRedisFailure),
                oneOf(Mode.class, property("mode", config.mode())).orElse(null),
                trueOrFalse(property("enabled", config.enabled())).orElse(false),
                new PlanTableReader(path, config, given, beans.plans(), mistakes).read(limits, warning),
                new Exemptions(items(property("exempt-roles", config.exemptRoles())), exemptIps()), countWhen(),
                duration(property("denial-cache", config.denialCache()), Duration.ZERO, MAX_DENIAL).orElse(Duration.ZERO),
                new PenaltyReader(path, config.penalty(), given).read(), prefetch(limits));
    }

    private Prefetch prefetch(List<PolicyLimit> limits) {
        Property<Long> permits = property("prefetch", config.prefetch());
        Property<Duration> time = property("prefetch-time", config.prefetchTime());
        long most = whole(permits, 0, Limit.MAX_PERMITS).orElse(0L);
        Duration kept = duration(time, MIN_PREFETCH_TIME, MAX_PREFETCH_TIME).orElse(PREFETCH_TIME);
        if (permits.text().isEmpty()) {
            time.wrong("has no meaning without prefetch. Set prefetch, for example to 100, or remove prefetch-time.");
        }
        if (most == 0) {
            return Prefetch.NONE;
        }
        if (limits.size() > 1) {
            permits.wrong("works with one limit, but the policy has " + limits.size()
                    + ". Remove prefetch, or make them policies of their own.");
        } else if (limits.isEmpty() ? cannotPrefetch() : !limits.get(0).supportsPrefetch()) {
            permits.wrong(
                    "works with a token-bucket without max-wait and with a fixed-window only. Remove prefetch, or choose one"
                            + " of these.");
        } else if (!limits.isEmpty() && most > limits.get(0).limit().burst()) {
            permits.wrong("must not be above the capacity, which is " + limits.get(0).limit().burst() + ".");
        }
        return limits.isEmpty() ? Prefetch.NONE : new Prefetch(most, kept);
    }

    /** Whether the policy has one limit, which has mistakes, but whose algorithm does not support prefetch. */
    private boolean cannotPrefetch() {
        return config.limits().isEmpty() && config.algorithm().filter(algorithm -> algorithm != Algorithm.TOKEN_BUCKET
                && algorithm != Algorithm.FIXED_WINDOW).isPresent();
    }

    private List<CidrAddress> exemptIps() {
        Property<List<String>> blocks = property("exempt-ips", config.exemptIps());
        List<CidrAddress> exempt = new ArrayList<>();
        for (String text : items(blocks)) {
            CidrAddress block = AddressBlock.parse(text);
            if (block == null) {
                blocks.wrong("has \"" + text + "\", which is no block of addresses. Write it like 10.0.0.0/8, 2001:db8::/32 or"
                        + " 192.0.2.1.");
            } else {
                exempt.add(block);
            }
        }
        return exempt;
    }

    private Statuses countWhen() {
        Property<List<String>> countWhen = property("count-when", config.countWhen());
        try {
            return countWhen.text().map(Statuses::parse).orElse(Statuses.ALL);
        } catch (IllegalArgumentException e) {
            countWhen.wrong(e.getMessage());
            return Statuses.ALL;
        }
    }

    private List<PolicyLimit> limits() {
        if (!config.limits().isEmpty()) {
            return namedLimits();
        }
        if (isAbsent("permits", config.permits()) && isAbsent("period", config.period())
                && isAbsent("calendar", config.calendar()) && !given.contains(path.child("algorithm"))) {
            mistakes.addBelow(path, " has no limit. Set permits and period there, or in " + path + ".limits.<limit>.*.");
            return List.of();
        }
        return new LimitReader(path, config, given, mistakes).read()
                .map(limit -> List.of(new PolicyLimit(PolicyLimit.DEFAULT_NAME, limit))).orElse(List.of());
    }

    private List<PolicyLimit> namedLimits() {
        List<PolicyLimit> limits = new ArrayList<>();
        PropertyPath place = path.child("limits");
        Variables.withoutAppearances(config.limits(), place, given).forEach((limit, settings) -> {
            PropertyPath limitPath = place.child(limit);
            mistakes.requireName("limit", limit, limitPath);
            new LimitReader(limitPath, settings, given, mistakes).read().ifPresent(l -> limits.add(new PolicyLimit(limit, l)));
        });
        return limits;
    }

    private KeyTemplate key(MissingValueWarning warning) {
        Property<String> key = property("key", config.key());
        Optional<String> parts = key.value().map(String::strip);
        try {
            KeyTemplate template = parts.map(text -> KeyParser.parse(text, warning)).orElse(null);
            if (template != null) {
                template.beans().forEach(bean -> BeanNames.require("RateLimitKeyResolver", bean, beans.keys(), key));
            }
            return template;
        } catch (IllegalArgumentException e) {
            mistakes.add(key.name(), ": " + e.getMessage());
            return null;
        }
    }

    private <T> boolean isAbsent(String name, Optional<T> value) {
        Property<T> property = property(name, value);
        return !property.isGiven() && !mistakes.isAbout(property.name());
    }

    private <T> Property<T> property(String property, Optional<T> value) {
        return given.property(path.child(property), value);
    }
}
