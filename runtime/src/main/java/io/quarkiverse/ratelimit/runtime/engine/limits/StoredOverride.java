package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.LastVariant;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.vertx.core.json.JsonObject;

/**
 * An override, a block or a shadow as read from the store. Makes a variant of its policy, and keeps the last one.
 *
 * @param storedKey the stored form of the caller's key; empty for all callers
 * @param until by the clock, like that in microseconds
 * @param limits empty for a block or a shadow
 */
public record StoredOverride(Kind kind, String storedKey, String text, long until, LongSupplier clock,
        Map<String, Limit> limits, Change change, LastVariant variant) implements RateLimitOverride {

    /** Kinds, each with the beginning of its names. No name of a policy begins like those of blocks and shadows. */
    enum Kind {
        OVERRIDE(""),
        BLOCK("!"),
        SHADOW("~");

        final String prefix;

        Kind(String prefix) {
            this.prefix = prefix;
        }

        private static Kind of(String name) {
            return name.startsWith(BLOCK.prefix) ? BLOCK : name.startsWith(SHADOW.prefix) ? SHADOW : OVERRIDE;
        }
    }

    /** The text of a block that is a pause. */
    static final String PAUSED = "paused";

    static StoredOverride read(String name, String text, Duration left, LongSupplier clock) {
        String storedKey = name.substring(name.indexOf(' ') < 0 ? name.length() : name.indexOf(' ') + 1);
        JsonObject json = text.isEmpty() || text.equals(PAUSED) ? new JsonObject() : new JsonObject(text);
        Change change = Change.removeFrom(json);
        return new StoredOverride(Kind.of(name), storedKey, text, clock.getAsLong() + LimitUsage.micros(left), clock,
                LimitsJson.read(json), change, new LastVariant());
    }

    StoredOverride endingEarlierBy(long micros) {
        return new StoredOverride(kind, storedKey, text, until - micros, clock, limits, change, new LastVariant());
    }

    /** Returns the one that ends last; {@code null} if both are. */
    static StoredOverride last(StoredOverride one, StoredOverride other) {
        return other == null || one != null && one.until >= other.until ? one : other;
    }

    /** Returns the policy with these limits, with this block, or in shadow mode. */
    Policy applyTo(Policy policy) {
        return variant.variantOf(policy, original -> switch (kind) {
            case OVERRIDE -> original.with(limits);
            case BLOCK -> blocked(original);
            // nobody is denied, so nobody may be blocked for it afterwards
            case SHADOW -> original.inShadow().withoutCountingDenials();
        });
    }

    private Policy blocked(Policy policy) {
        LongSupplier blockedFor = () -> until - clock.getAsLong();
        Penalty penalty = policy.penalty() == null ? Penalty.NONE : policy.penalty();
        return policy.withPenalty(isPause() ? penalty.pausedFor(blockedFor) : penalty.blockedFor(blockedFor));
    }

    boolean isInForce() {
        return clock.getAsLong() < until;
    }

    public boolean isPause() {
        return text.equals(PAUSED);
    }

    public Duration remainingTime() {
        return LimitUsage.micros(Math.max(0, until - clock.getAsLong()));
    }

    @Override
    public Optional<String> key() {
        return Optional.of(storedKey).filter(key -> !key.isEmpty());
    }

    @Override
    public Optional<Duration> timeLeft() {
        return Optional.of(remainingTime()).filter(left -> left.compareTo(Limit.MAX_PERIOD) <= 0);
    }

    @Override
    public String toString() {
        return "RateLimitOverride[key=" + key().orElse("all") + ", limits=" + limits + ", "
                + timeLeft().map(time -> "timeLeft=" + time).orElse("until removed") + "]";
    }
}
