package io.quarkiverse.ratelimit.runtime.settings;

import static io.quarkiverse.ratelimit.runtime.settings.Property.duration;
import static io.quarkiverse.ratelimit.runtime.settings.Property.whole;

import java.time.Duration;
import java.util.Optional;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.config.PenaltyConfig;

/** Reads the penalty of one policy. */
final class PenaltyReader {

    private final Property<Integer> after;
    private final Property<Duration> within;
    private final Property<Duration> block;
    private final Property<Duration> maxBlock;

    PenaltyReader(PropertyPath policy, PenaltyConfig config, GivenProperties given) {
        PropertyPath path = policy.child("penalty");
        after = given.property(path.child("after"), config.after());
        within = given.property(path.child("within"), config.within());
        block = given.property(path.child("block"), config.block());
        maxBlock = given.property(path.child("max-block"), config.maxBlock());
    }

    /** The penalty; {@code null} if there is none, or if it has mistakes. */
    Penalty read() {
        if (!after.isGiven() && !within.isGiven() && !block.isGiven() && !maxBlock.isGiven()) {
            return null;
        }
        Integer denials = whole(after.required("Set penalty.after to the number of denials that block a key, for example 5."),
                1, Penalty.MAX_AFTER)
                .orElse(null);
        Duration span = inRange(
                within.required("Set penalty.within to the time in which these denials count, for example 10m.")).orElse(null);
        Duration first = inRange(block.required("Set penalty.block to the time for which a key is blocked, for example 15m."))
                .orElse(null);
        Duration longest = inRange(maxBlock).orElse(first);
        if (first != null && longest.compareTo(first) < 0) {
            maxBlock.wrong("must be at least penalty.block=" + block.text().orElse("") + ". Raise it, or remove it.");
        }
        return denials == null || span == null || first == null ? null : new Penalty(denials, span, first, longest);
    }

    private static Optional<Duration> inRange(Property<Duration> property) {
        return duration(property, Limit.MIN_PERIOD, Limit.MAX_PERIOD);
    }
}
