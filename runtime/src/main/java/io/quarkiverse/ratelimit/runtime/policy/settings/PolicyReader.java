package io.quarkiverse.ratelimit.runtime.policy.settings;

import static io.quarkiverse.ratelimit.runtime.policy.settings.PropertyGroup.items;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyParser;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingValueWarning;
import io.quarkiverse.ratelimit.runtime.caller.Normalization;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.address.IpAddress;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.Statuses;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig.PenaltyConfig;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader.ResolverBeans;
import io.smallrye.common.net.CidrAddress;

/** Reads one policy with its limits. */
record PolicyReader(PropertyGroup group, PolicyConfig config, ResolverBeans beans, AddressForm addresses) {

    private static final Duration MAX_DENIAL = Duration.ofMinutes(1);
    private static final Duration MAX_JITTER = Duration.ofDays(1);
    private static final Duration MIN_PREFETCH_TIME = Duration.ofMillis(1);
    private static final Duration MAX_PREFETCH_TIME = Duration.ofMinutes(1);

    /** Reads the policy. It must not be used if there are mistakes. */
    Policy read(OnRedisFailure onRedisFailure) {
        String name = group.path().last();
        group.requireName("policy");
        group.requireTrueOrFalse("enabled");
        List<PolicyLimit> limits = limits();
        MissingValueWarning warning = new MissingValueWarning(name);
        KeyTemplate key = key(warning);
        List<Normalization> normalize = Normalization.steps(config.normalize().orElse(Set.of()));
        return new Policy(name, limits, key, config.missingKey(), normalize, config.onRedisFailure().orElse(onRedisFailure),
                config.mode(), config.enabled(), new PlanReader(group, config, limits).read(beans.plans(), warning),
                exemptions(key, normalize), countWhen(),
                group.duration("denial-cache", config.denialCache(), Duration.ZERO, MAX_DENIAL),
                penalty(group.child("penalty"), config.penalty()), prefetch(limits),
                group.duration("retry-after-jitter", config.retryAfterJitter(), Duration.ZERO, MAX_JITTER),
                group.duration("obey-retry-after", config.obeyRetryAfter(), Duration.ZERO, Limit.MAX_PERIOD));
    }

    private Prefetch prefetch(List<PolicyLimit> limits) {
        long most = group.whole("prefetch", config.prefetch(), 0, Limit.MAX_PERMITS);
        Duration kept = group.duration("prefetch-time", config.prefetchTime(), MIN_PREFETCH_TIME, MAX_PREFETCH_TIME);
        if (most == 0) {
            if (group.text("prefetch").isEmpty()) {
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
        List<String> texts = items(config.exemptKeys());
        List<CidrAddress> keyBlocks = new ArrayList<>();
        Set<String> digests = Set.of();
        if (!texts.isEmpty() && key != null && key.parts().size() != 1) {
            group.wrong("exempt-keys", "names values of a key with one part, but the key is " + key
                    + ". Remove exempt-keys, or give the policy a key such as principal or header:X-Api-Key.");
        } else if (key != null && key.needsAddress()) {
            for (CidrAddress block : blocks("exempt-keys", config.exemptKeys())) {
                keyBlocks.add(addresses.prefixes(block));
            }
        } else {
            try {
                digests = Exemptions.keyDigests(texts, normalize);
            } catch (IllegalArgumentException e) {
                group.wrong("exempt-keys", e.getMessage());
            }
        }
        return new Exemptions(items(config.exemptRoles()), blocks, keyBlocks, digests);
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
        group.given().checkBlanksOfYaml(group.path().child("count-when"));
        try {
            return config.countWhen().isEmpty() ? Statuses.ALL : Statuses.parse(String.join(",", config.countWhen().get()));
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
                && group.isAbsent("calendar", config.calendar()) && group.text("algorithm").isEmpty()) {
            if (!group.hasMistakes(List.of("limits"))) {
                group.wrong(" has no limit. Set permits and period there, or in " + group.path() + ".limits.<limit>.*.");
            }
            return List.of();
        }
        Optional<Limit> limit = new LimitReader(group, config).read();
        return limit.isEmpty() ? List.of() : List.of(new PolicyLimit(PolicyLimit.DEFAULT_NAME, limit.get()));
    }

    private List<PolicyLimit> namedLimits() {
        for (String property : LimitReader.PROPERTIES) {
            if (group.text(property).isPresent()) {
                group.mistakes().add(group.name(property), " means nothing beside " + group.path()
                        + ".limits.*, which inherit nothing. Move it to the limits it is meant for: " + group.path()
                        + ".limits.<limit>." + property + ".");
            }
        }
        List<PolicyLimit> limits = new ArrayList<>();
        group.child("limits").named(config.limits()).forEach((name, values) -> {
            PropertyGroup child = group.child("limits", name);
            child.requireName("limit");
            new LimitReader(child, values).read().ifPresent(limit -> limits.add(new PolicyLimit(name, limit)));
        });
        return limits;
    }

    /** Reads the penalty; {@code null} if there is none, or if it has mistakes. */
    private static Penalty penalty(PropertyGroup group, PenaltyConfig config) {
        Optional<Duration> within = config.within();
        Optional<Duration> block = config.block();
        if (config.after().isEmpty() && within.isEmpty() && block.isEmpty() && config.maxBlock().isEmpty()) {
            return null;
        }
        group.require("after", config.after(), "Set penalty.after to the number of denials that block a key, for example 5.");
        group.require("within", within, "Set penalty.within to the time in which these denials count, for example 10m.");
        group.require("block", block, "Set penalty.block to the time for which a key is blocked, for example 15m.");
        config.after().ifPresent(value -> group.whole("after", value, 1, Penalty.MAX_AFTER));
        Map.of("within", within, "block", block, "max-block", config.maxBlock()).forEach((property, time) -> time
                .ifPresent(value -> group.duration(property, value, Limit.MIN_PERIOD, Limit.MAX_PERIOD)));
        Duration longest = config.maxBlock().or(() -> block).orElse(Duration.ZERO);
        if (block.isPresent() && longest.compareTo(block.get()) < 0) {
            group.wrong("max-block", "must be at least penalty.block=" + group.text("block").orElse("")
                    + ". Raise it, or remove it.");
        }
        return group.hasMistakes(List.of("after", "within", "block", "max-block")) ? null
                : new Penalty(config.after().get(), within.get(), block.get(), longest);
    }

    private KeyTemplate key(MissingValueWarning warning) {
        if (config.key().isEmpty()) {
            return null;
        }
        try {
            KeyTemplate template = KeyParser.parse(config.key().get().strip(), warning);
            for (String bean : template.beans()) {
                group.requireBean("key", "RateLimitKeyResolver", bean, beans.keys());
            }
            return template;
        } catch (IllegalArgumentException e) {
            group.mistakes().add(group.name("key"), ": " + e.getMessage());
            return null;
        }
    }
}
