package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.penalty.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.vertx.core.json.JsonObject;

/** All overrides and blocks as last read, with the later blocks of this instance. Each makes a variant of its policy. */
public final class OverrideSnapshot {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** Begins the name of a block. No name of an override begins like this. */
    private static final String BLOCK = "!";
    /** Makes the next refresh read everything. */
    private static final String UNKNOWN = "?";

    /** The number of the refresh that has read it, or of the last change. */
    volatile long refresh;
    volatile String version;
    final Map<String, Text> texts;
    private final LongSupplier clock;
    /** By policy, and by key, which is empty for all callers. */
    private final Map<String, Map<String, Variant>> overrides = new HashMap<>(), blocks = new ConcurrentHashMap<>();
    /** Whether an override has a limit that delays calls. */
    boolean mayDelay;

    /** @param clock microseconds */
    OverrideSnapshot(long refresh, String version, Map<String, Text> texts, LongSupplier clock) {
        this.refresh = refresh;
        this.version = version;
        this.texts = new ConcurrentHashMap<>(texts);
        this.clock = clock;
        texts.forEach(this::add);
    }

    /**
     * Changes a block until the store is read again. Called services cause pauses, so no more of them begin than the store
     * holds texts. Takes the same time however many blocks there are, until there are that many.
     *
     * @param text {@code null} to remove it
     */
    void changeBlock(long change, String name, Text text) {
        refresh = change;
        version = UNKNOWN;
        texts.remove(name);
        if (texts.size() >= OverrideStore.MAX_TEXTS) {
            removeExpired();
        }
        if (text != null && (!text.isPause() || texts.size() < OverrideStore.MAX_TEXTS)) {
            texts.put(name, text);
            add(name, text);
        } else {
            String[] policyAndKey = policyAndKey(name.substring(BLOCK.length()));
            blocks.computeIfPresent(policyAndKey[0], (policy, byKey) -> {
                byKey.remove(policyAndKey[1]);
                return byKey;
            });
        }
    }

    private void removeExpired() {
        long now = clock.getAsLong();
        texts.values().removeIf(text -> text.until <= now);
        blocks.values().forEach(byKey -> byKey.values().removeIf(block -> block.text.until <= now));
    }

    private void add(String name, Text text) {
        boolean isBlock = name.startsWith(BLOCK);
        String[] policyAndKey = policyAndKey(name.substring(isBlock ? BLOCK.length() : 0));
        try {
            (isBlock ? blocks : overrides).computeIfAbsent(policyAndKey[0], policy -> new ConcurrentHashMap<>())
                    .put(policyAndKey[1], isBlock ? block(text) : override(text));
        } catch (RuntimeException e) {
            LOG.warnf("An override is ignored, as this version cannot read it: %s", text.text);
        }
    }

    private Variant override(Text text) {
        Map<String, Limit> limits = LimitsJson.read(new JsonObject(text.text));
        mayDelay |= limits.values().stream().anyMatch(limit -> !limit.maxWait().isZero());
        return new Variant(text, limits, policy -> policy.with(limits));
    }

    private Variant block(Text text) {
        LongSupplier blockedFor = text.text.equals(OverrideStore.UNBLOCKED) ? () -> 0 : () -> text.until - clock.getAsLong();
        return new Variant(text, Map.of(), policy -> {
            Penalty penalty = policy.penalty() == null ? Penalty.NONE : policy.penalty();
            return policy.withPenalty(text.isPause() ? penalty.pausedFor(blockedFor) : penalty.blockedFor(blockedFor));
        });
    }

    private static String[] policyAndKey(String name) {
        int blank = name.indexOf(' ');
        return blank < 0 ? new String[] { name, "" } : new String[] { name.substring(0, blank), name.substring(blank + 1) };
    }

    /** Names are unique: a policy's name contains no blank. An empty key stands for all callers. */
    static String name(Policy policy, String key) {
        return key.isEmpty() ? policy.name() : policy.name() + ' ' + key;
    }

    static String nameOfBlock(Policy policy, String key) {
        return BLOCK + name(policy, key);
    }

    /** The policy with its override for all callers. */
    public Policy forAll(Policy policy) {
        return variant(policy, overrides, "");
    }

    /**
     * The policy with its override and its block for one key. An empty key has no override: one of the single count is for
     * all callers.
     */
    public Policy forKey(Policy policy, String key) {
        return blocked(key.isEmpty() ? policy : variant(policy, overrides, key), key);
    }

    /** The policy with its block for one key, and the limits that it has. */
    public Policy blocked(Policy policy, String key) {
        return variant(policy, blocks, key);
    }

    private Policy variant(Policy policy, Map<String, Map<String, Variant>> all, String key) {
        Map<String, Variant> ofPolicy = all.isEmpty() ? null : all.get(policy.name());
        Variant variant = ofPolicy == null ? null : ofPolicy.get(key);
        return variant == null || clock.getAsLong() >= variant.text.until ? policy : variant.derivedFrom(policy);
    }

    /** How long a key is still paused; zero if it is not. */
    public Duration pausedFor(String policy, String key) {
        Variant block = blocks.getOrDefault(policy, Map.of()).get(key);
        return block == null || !block.text.isPause() ? Duration.ZERO
                : LimitUsage.micros(Math.max(0, block.text.until - clock.getAsLong()));
    }

    /** All overrides in force for a policy: first the one for all callers, then those by key. */
    public List<AppliedOverride> overrides(Policy policy) {
        return applied(policy, overrides);
    }

    /** The blocks in force for a policy, as overrides without limits. */
    public List<AppliedOverride> blocks(Policy policy) {
        return applied(policy, blocks);
    }

    private List<AppliedOverride> applied(Policy policy, Map<String, Map<String, Variant>> all) {
        long now = clock.getAsLong();
        List<AppliedOverride> applied = new ArrayList<>();
        new TreeMap<>(all.getOrDefault(policy.name(), Map.of())).forEach((key, variant) -> {
            if (now < variant.text.until && !variant.text.text.equals(OverrideStore.UNBLOCKED)) {
                applied.add(new AppliedOverride(key, variant.limits, LimitUsage.micros(variant.text.until - now)));
            }
        });
        return applied;
    }

    /** @param until microseconds */
    record Text(String text, long until) {

        static Text lasting(String text, Duration left, LongSupplier clock) {
            return new Text(text, clock.getAsLong() + LimitUsage.micros(left));
        }

        boolean isPause() {
            return text.equals(OverrideStore.PAUSED);
        }
    }

    /** Derives a policy, and keeps the last result. */
    private static final class Variant {

        private final Text text;
        private final Map<String, Limit> limits;
        private final UnaryOperator<Policy> derivation;
        private volatile Derived last;

        /** @param limits of an override; empty for a block */
        Variant(Text text, Map<String, Limit> limits, UnaryOperator<Policy> derivation) {
            this.text = text;
            this.limits = limits;
            this.derivation = derivation;
        }

        Policy derivedFrom(Policy policy) {
            Derived made = last;
            if (made == null || made.from != policy && !made.from.equals(policy)) {
                made = new Derived(policy, derivation.apply(policy));
                last = made;
            }
            return made.policy;
        }

        private record Derived(Policy from, Policy policy) {
        }
    }
}
