package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.vertx.core.json.JsonObject;

/** An override or a block as read from the store. Makes a variant of its policy, and keeps the last one. */
final class StoredOverride implements RateLimitOverride {

    /** Begins the name of a block. No name of an override begins like this. */
    static final String BLOCK = "!";

    private final String storedKey;
    private final String text;
    final long until;
    private final LongSupplier clock;
    /** {@code null} for a block. */
    private final Map<String, Limit> limits;
    private volatile Variant last;

    /** @param clock microseconds */
    StoredOverride(String name, String text, Duration left, LongSupplier clock) {
        this.storedKey = name.substring(name.indexOf(' ') < 0 ? name.length() : name.indexOf(' ') + 1);
        this.text = text;
        this.until = clock.getAsLong() + LimitUsage.micros(left);
        this.clock = clock;
        this.limits = name.startsWith(BLOCK) ? null : LimitsJson.read(new JsonObject(text));
    }

    private record Variant(Policy original, Policy policy) {
    }

    /** The policy with these limits or this block. */
    Policy applyTo(Policy policy) {
        Variant variant = last;
        if (variant == null || variant.original != policy && !variant.original.equals(policy)) {
            variant = new Variant(policy, limits == null ? blocked(policy) : policy.with(limits));
            last = variant;
        }
        return variant.policy;
    }

    private Policy blocked(Policy policy) {
        LongSupplier blockedFor = () -> until - clock.getAsLong();
        Penalty penalty = policy.penalty() == null ? Penalty.NONE : policy.penalty();
        return policy.withPenalty(isPause() ? penalty.pausedFor(blockedFor) : penalty.blockedFor(blockedFor));
    }

    boolean isInForce() {
        return clock.getAsLong() < until;
    }

    boolean isPause() {
        return text.equals(OverrideStore.PAUSED);
    }

    /** Whether it has a limit that delays calls. */
    boolean mayDelay() {
        return limits().values().stream().anyMatch(limit -> !limit.maxWait().isZero());
    }

    /** The stored form of the caller's key; empty for all callers. */
    String storedKey() {
        return storedKey;
    }

    Duration left() {
        return LimitUsage.micros(Math.max(0, until - clock.getAsLong()));
    }

    @Override
    public Optional<String> key() {
        return Optional.of(storedKey).filter(key -> !key.isEmpty());
    }

    @Override
    public Map<String, Limit> limits() {
        return limits == null ? Map.of() : limits;
    }

    @Override
    public Optional<Duration> timeLeft() {
        return Optional.of(left()).filter(left -> left.compareTo(Limit.MAX_PERIOD) <= 0);
    }

    @Override
    public String toString() {
        return "RateLimitOverride[key=" + key().orElse("all") + ", limits=" + limits() + ", "
                + timeLeft().map(time -> "timeLeft=" + time).orElse("until removed") + "]";
    }
}
