package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.vertx.core.json.JsonObject;

/**
 * An override or a block as read from the store. Makes a variant of its policy, and keeps the last one.
 *
 * @param storedKey the stored form of the caller's key; empty for all callers
 * @param until by the clock, like that in microseconds
 * @param limits empty for a block
 */
record StoredOverride(String storedKey, String text, long until, LongSupplier clock, Map<String, Limit> limits,
        AtomicReference<Variant> last) implements RateLimitOverride {

    /** Begins the name of a block. No name of an override begins like this. */
    static final String BLOCK = "!";

    static StoredOverride read(String name, String text, Duration left, LongSupplier clock) {
        String storedKey = name.substring(name.indexOf(' ') < 0 ? name.length() : name.indexOf(' ') + 1);
        return new StoredOverride(storedKey, text, clock.getAsLong() + LimitUsage.micros(left), clock,
                name.startsWith(BLOCK) ? Map.of() : LimitsJson.read(new JsonObject(text)), new AtomicReference<>());
    }

    private record Variant(Policy original, Policy policy) {
    }

    /** The policy with these limits or this block. */
    Policy applyTo(Policy policy) {
        Variant variant = last.get();
        if (variant == null || variant.original != policy && !variant.original.equals(policy)) {
            variant = new Variant(policy, limits.isEmpty() ? blocked(policy) : policy.with(limits));
            last.set(variant);
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

    Duration left() {
        return LimitUsage.micros(Math.max(0, until - clock.getAsLong()));
    }

    @Override
    public Optional<String> key() {
        return Optional.of(storedKey).filter(key -> !key.isEmpty());
    }

    @Override
    public Optional<Duration> timeLeft() {
        return Optional.of(left()).filter(left -> left.compareTo(Limit.MAX_PERIOD) <= 0);
    }

    @Override
    public String toString() {
        return "RateLimitOverride[key=" + key().orElse("all") + ", limits=" + limits + ", "
                + timeLeft().map(time -> "timeLeft=" + time).orElse("until removed") + "]";
    }
}
