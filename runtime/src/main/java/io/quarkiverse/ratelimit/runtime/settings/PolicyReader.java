package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.PropertyGroup.items;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.caller.ExemptKeys;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;
import io.quarkiverse.ratelimit.runtime.caller.Normalization;
import io.quarkiverse.ratelimit.runtime.caller.address.IpAddress;
import io.quarkiverse.ratelimit.runtime.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.Exemptions;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.RetryAfter;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.smallrye.common.net.CidrAddress;

/** Reads one policy with its limits. */
final class PolicyReader {

    private static final Duration MAX_DENIAL = Duration.ofMinutes(1);
    private static final Duration MIN_PREFETCH_TIME = Duration.ofMillis(1);
    private static final Duration MAX_PREFETCH_TIME = Duration.ofMinutes(1);

    private final String name;
    private final PolicyConfig config;
    private final PropertyGroup group;
    private final BeanNames beans;

    PolicyReader(String name, PolicyConfig config, PropertyGroup group, BeanNames beans) {
        this.name = name;
        this.config = config;
        this.group = group;
        this.beans = beans;
    }

    /** The policy. It must not be used if there are mistakes. */
    Policy read(OnRedisFailure onRedisFailure) {
        group.mistakes().requireName("policy", name, group.path());
        group.requireTrueOrFalse("enabled");
        List<PolicyLimit> limits = limits();
        MissingValueWarning warning = new MissingValueWarning(name);
        KeyTemplate key = key(warning);
        List<Normalization> normalize = Normalization.steps(config.normalize().orElse(Set.of()));
        return new Policy(name, limits, key, config.missingKey(), normalize, config.onRedisFailure().orElse(onRedisFailure),
                config.mode(), config.enabled(), new PlanTableReader(group, config, beans.plans()).read(limits, warning),
                exemptions(key, normalize), countWhen(),
                group.duration("denial-cache", config.denialCache(), Duration.ZERO, MAX_DENIAL),
                new PenaltyReader(group.child("penalty"), config.penalty()).read(), prefetch(limits), retryAfter(limits),
                group.duration("obey-retry-after", config.obeyRetryAfter(), Duration.ZERO, Limit.MAX_PERIOD));
    }

    private RetryAfter retryAfter(List<PolicyLimit> limits) {
        boolean holdsOnly = limits.isEmpty() ? config.limits().isEmpty() && config.algorithm().has("lease-time")
                : limits.stream().allMatch(limit -> limit.rule().holdsPermits());
        if (config.retryAfter() == RetryAfter.IN_TURN && holdsOnly) {
            group.wrong("retry-after", "has no meaning for concurrency, as nobody knows when a running call ends."
                    + " Remove it, or choose another algorithm.");
        }
        return config.retryAfter();
    }

    private Prefetch prefetch(List<PolicyLimit> limits) {
        long most = group.whole("prefetch", config.prefetch(), 0, Limit.MAX_PERMITS);
        Duration kept = group.duration("prefetch-time", config.prefetchTime(), MIN_PREFETCH_TIME, MAX_PREFETCH_TIME);
        if (most == 0) {
            if (!group.isGiven("prefetch")) {
                group.wrong("prefetch-time",
                        "has no meaning without prefetch. Set prefetch, for example to 100, or remove prefetch-time.");
            }
            return Prefetch.NONE;
        }
        if (limits.size() > 1) {
            group.wrong("prefetch", "works with one limit, but the policy has " + limits.size()
                    + ". Remove prefetch, or make them policies of their own.");
        } else if (limits.isEmpty() ? config.limits().isEmpty() && !config.algorithm().has("prefetch")
                : !limits.get(0).rule().supportsPrefetch()) {
            group.wrong("prefetch", "works with a token-bucket without max-wait and with a fixed-window only."
                    + " Remove prefetch, or choose one of these.");
        } else if (!limits.isEmpty() && most > limits.get(0).limit().burst()) {
            group.wrong("prefetch", "must not be above the capacity, which is " + limits.get(0).limit().burst() + ".");
        }
        return limits.isEmpty() ? Prefetch.NONE : new Prefetch(most, kept);
    }

    private Exemptions exemptions(KeyTemplate key, List<Normalization> normalize) {
        List<CidrAddress> blocks = blocks("exempt-ips", config.exemptIps());
        List<String> keys = items(config.exemptKeys());
        if (key != null && key.parts().size() != 1 && !keys.isEmpty()) {
            group.wrong("exempt-keys", "names values of a key with one part, but the key is " + key
                    + ". Remove exempt-keys, or give the policy a key such as principal or header:X-Api-Key.");
        } else if (key != null && key.needsAddress()) {
            // the same rules decide whether an address is certain
            blocks.addAll(blocks("exempt-keys", config.exemptKeys()));
        } else {
            try {
                return new Exemptions(items(config.exemptRoles()), blocks, ExemptKeys.parse(keys, normalize));
            } catch (IllegalArgumentException e) {
                group.wrong("exempt-keys", e.getMessage());
            }
        }
        return new Exemptions(items(config.exemptRoles()), blocks, ExemptKeys.NONE);
    }

    private List<CidrAddress> blocks(String property, Optional<List<String>> texts) {
        List<CidrAddress> exempt = new ArrayList<>();
        for (String text : items(texts)) {
            CidrAddress block = IpAddress.block(text);
            if (block == null) {
                group.wrong(property, "has \"" + text + "\", which is no block of addresses. Write it like 10.0.0.0/8,"
                        + " 2001:db8::/32 or 192.0.2.1.");
            } else {
                exempt.add(block);
            }
        }
        return exempt;
    }

    private Statuses countWhen() {
        try {
            return config.countWhen().map(items -> Statuses.parse(String.join(",", items))).orElse(Statuses.ALL);
        } catch (IllegalArgumentException e) {
            group.wrong("count-when", e.getMessage());
            return Statuses.ALL;
        }
    }

    private List<PolicyLimit> limits() {
        if (!config.limits().isEmpty()) {
            return namedLimits();
        }
        if (group.isAbsent("permits", config.permits()) && group.isAbsent("period", config.period())
                && group.isAbsent("calendar", config.calendar()) && !group.isGiven("algorithm")) {
            group.mistakes().addBelow(group.path(), " has no limit. Set permits and period there, or in " + group.path()
                    + ".limits.<limit>.*.");
            return List.of();
        }
        return new LimitReader(group, config).read()
                .map(limit -> List.of(new PolicyLimit(PolicyLimit.DEFAULT_NAME, limit))).orElse(List.of());
    }

    private List<PolicyLimit> namedLimits() {
        List<PolicyLimit> limits = new ArrayList<>();
        PropertyGroup parent = group.child("limits");
        parent.named(config.limits()).forEach((limit, values) -> {
            PropertyGroup child = parent.child(limit);
            child.mistakes().requireName("limit", limit, child.path());
            new LimitReader(child, values).read().ifPresent(l -> limits.add(new PolicyLimit(limit, l)));
        });
        return limits;
    }

    private KeyTemplate key(MissingValueWarning warning) {
        try {
            KeyTemplate template = config.key().map(String::strip).map(text -> KeyParser.parse(text, warning)).orElse(null);
            if (template != null) {
                template.beans().forEach(bean -> BeanNames.require("RateLimitKeyResolver", bean, beans.keys(), group, "key"));
            }
            return template;
        } catch (IllegalArgumentException e) {
            group.mistakes().add(group.name("key"), ": " + e.getMessage());
            return null;
        }
    }
}
