package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/** A {@link RateLimitAdmin} whose methods never block. They have the same names and do the same. */
public interface ReactiveRateLimitAdmin {

    PolicyAdmin policy(String name);

    interface LimitsAdmin {

        @CheckReturnValue
        Uni<Map<String, Limit>> limits();

        @CheckReturnValue
        Uni<Void> override(Limit limit);

        @CheckReturnValue
        Uni<Void> override(Limit limit, Duration duration);

        @CheckReturnValue
        Uni<Void> override(Map<String, Limit> limits);

        @CheckReturnValue
        Uni<Void> override(Map<String, Limit> limits, Duration duration);

        @CheckReturnValue
        Uni<Void> removeOverride();
    }

    interface PolicyAdmin extends LimitsAdmin {

        KeyAdmin forKey(String... values);

        @CheckReturnValue
        Uni<List<RateLimitOverride>> overrides();

        @CheckReturnValue
        Uni<List<DeniedKey>> mostDenied(int count);

        @CheckReturnValue
        Uni<List<BlockedKey>> blocked();
    }

    interface KeyAdmin extends LimitsAdmin {

        @CheckReturnValue
        Uni<Void> block(Duration time);

        @CheckReturnValue
        Uni<Void> unblock();

        @CheckReturnValue
        Uni<Void> reset();
    }
}
