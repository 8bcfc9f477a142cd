package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;

/**
 * How an instance acquires permits ahead.
 *
 * @param permits how many for one key at most; 0 for none
 * @param time for how long it may keep them
 */
public record Prefetch(long permits, Duration time) {

    public static final Prefetch NONE = new Prefetch(0, Duration.ZERO);

    Prefetch forAtMost(Duration longest) {
        return time.compareTo(longest) <= 0 ? this : new Prefetch(permits, longest);
    }

    public boolean isOff() {
        return permits == 0;
    }
}
