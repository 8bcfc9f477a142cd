package io.quarkiverse.ratelimit.runtime.config;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithDefault;

/**
 * So many permits per so long, counted by an algorithm.
 * <p>
 * What has a meaning for some algorithms only has no {@code @WithDefault}: it is present when it is given, and then it is
 * a mistake for the others.
 */
@ConfigGroup
public interface LimitConfig {

    /**
     * How many permits there are per {@code period}, or how many calls may run at the same time, 1 to 1000000000.
     * Required in the policy, or in each of its {@code limits}.
     */
    Optional<String> permits();

    /**
     * For how long {@code permits} are meant: in what time so many come back, or how long a window or a log looks back. A
     * duration, 1 ms to 366 days, in whole microseconds. Required in the policy, or in each of its {@code limits}, but for
     * windows of a {@code calendar} and for {@code concurrency}, where it has no meaning.
     */
    Optional<String> period();

    /**
     * The rule by which the limit counts: {@code token-bucket}, a bucket that is refilled; {@code leaky-bucket}, even
     * pacing, where calls that come too early are held back; {@code fixed-window}, counts that begin anew with each window;
     * {@code sliding-window}, an estimate of the last {@code period} from two windows; {@code sliding-log}, at most
     * {@code permits} in any span of {@code period}, exactly; {@code concurrency}, at most {@code permits} calls at the same
     * time.
     */
    @WithDefault("token-bucket")
    Optional<String> algorithm();

    /**
     * The capacity of a {@code token-bucket}: how many permits can be taken at once after a pause, 1 to 1000000000. The
     * time in which so many come back, {@code burst * period / permits}, is at most 100 years. Other algorithms have none.
     */
    @ConfigDocDefault("the value of permits")
    Optional<String> burst();

    /**
     * When the permits of a {@code token-bucket} come back: {@code greedy} evenly, all the time, one each
     * {@code period / permits}; {@code interval} all {@code permits} at once, each whole {@code period} since the first use
     * after the bucket was full. It has no meaning for other algorithms.
     */
    @ConfigDocDefault("greedy")
    Optional<String> refill();

    /**
     * For how long a call that comes too early is held back, instead of being refused at once, by a {@code token-bucket} or
     * a {@code leaky-bucket}: a duration up to 366 days, in whole microseconds. A {@code leaky-bucket} requires one of more
     * than zero. It has no meaning for other algorithms.
     */
    @ConfigDocDefault("0")
    Optional<String> maxWait();

    /**
     * What the windows of {@code fixed-window} are aligned to, in place of {@code period}: {@code minute}, {@code hour},
     * {@code day}, {@code week} (from Monday), {@code month} or {@code year}. It has no meaning for other algorithms.
     */
    Optional<String> calendar();

    /**
     * The time zone of {@code calendar}, such as {@code Europe/Berlin} or {@code +02:00}. It has no meaning without.
     */
    @ConfigDocDefault("UTC")
    Optional<String> zone();

    /**
     * When the permits of a crashed instance come back, for {@code concurrency}; an instance that lives renews them for as
     * long as its calls last. A duration, 1 s to 1 day, in whole microseconds. It has no meaning for other algorithms.
     */
    @ConfigDocDefault("30s")
    Optional<String> leaseTime();
}
