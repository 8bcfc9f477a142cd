package io.quarkiverse.ratelimit.runtime.settings;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.penalty.Penalty;
import io.quarkiverse.ratelimit.runtime.config.PenaltyConfig;

/** Reads the penalty of one policy. */
record PenaltyReader(PropertyGroup group, PenaltyConfig config) {

    private static final List<String> NAMES = List.of("after", "within", "block", "max-block");

    /** The penalty; {@code null} if there is none, or if it has mistakes. */
    Penalty read() {
        Optional<Duration> within = config.within();
        Optional<Duration> block = config.block();
        if (config.after().isEmpty() && within.isEmpty() && block.isEmpty() && config.maxBlock().isEmpty()) {
            return null;
        }
        group.require("after", config.after(), "Set penalty.after to the number of denials that block a key, for example 5.");
        group.require("within", within, "Set penalty.within to the time in which these denials count, for example 10m.");
        group.require("block", block, "Set penalty.block to the time for which a key is blocked, for example 15m.");
        config.after().ifPresent(value -> group.whole("after", value, 1, Penalty.MAX_AFTER));
        checkRange("within", within);
        checkRange("block", block);
        checkRange("max-block", config.maxBlock());
        Duration longest = config.maxBlock().or(() -> block).orElse(Duration.ZERO);
        if (block.isPresent() && longest.compareTo(block.get()) < 0) {
            group.wrong("max-block", "must be at least penalty.block="
                    + group.given().text(group.path().child("block")).orElse("") + ". Raise it, or remove it.");
        }
        return group.hasMistakes(NAMES) ? null : new Penalty(config.after().get(), within.get(), block.get(), longest);
    }

    private void checkRange(String property, Optional<Duration> value) {
        value.ifPresent(duration -> group.duration(property, duration, Limit.MIN_PERIOD, Limit.MAX_PERIOD));
    }
}
