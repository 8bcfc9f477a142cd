package io.quarkiverse.ratelimit;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.smallrye.common.annotation.CheckReturnValue;
import io.smallrye.mutiny.Uni;

/** A {@link RateLimitAdmin} whose methods never block. */
public interface ReactiveRateLimitAdmin {

    /** {@link RateLimitAdmin#policy}. */
    PolicyAdmin policy(String name);

    /** {@link RateLimitAdmin#mostDenied}. */
    @CheckReturnValue
    Uni<List<DeniedKey>> mostDenied(int count);

    /** {@link RateLimitAdmin.LimitsAdmin}. */
    interface LimitsAdmin {

        /** {@link RateLimitAdmin.LimitsAdmin#limits}. */
        @CheckReturnValue
        Uni<Map<String, Limit>> limits();

        /** {@link RateLimitAdmin.LimitsAdmin#override(Limit)}. */
        @CheckReturnValue
        Uni<Void> override(Limit limit);

        /** {@link RateLimitAdmin.LimitsAdmin#override(Limit, Duration)}. */
        @CheckReturnValue
        Uni<Void> override(Limit limit, Duration duration);

        /** {@link RateLimitAdmin.LimitsAdmin#override(Map)}. */
        @CheckReturnValue
        Uni<Void> override(Map<String, Limit> limits);

        /** {@link RateLimitAdmin.LimitsAdmin#override(Map, Duration)}. */
        @CheckReturnValue
        Uni<Void> override(Map<String, Limit> limits, Duration duration);

        /** {@link RateLimitAdmin.LimitsAdmin#removeOverride}. */
        @CheckReturnValue
        Uni<Void> removeOverride();
    }

    /** {@link RateLimitAdmin.PolicyAdmin}. */
    interface PolicyAdmin extends LimitsAdmin {

        /** {@link RateLimitAdmin.PolicyAdmin#forKey}. */
        KeyAdmin forKey(String... values);

        /** {@link RateLimitAdmin.PolicyAdmin#shadow}. */
        @CheckReturnValue
        Uni<Void> shadow(Duration duration);

        /** {@link RateLimitAdmin.PolicyAdmin#enforce}. */
        @CheckReturnValue
        Uni<Void> enforce();

        /** {@link RateLimitAdmin.PolicyAdmin#overrides}. */
        @CheckReturnValue
        Uni<List<RateLimitOverride>> overrides();

        /** {@link RateLimitAdmin.PolicyAdmin#mostDenied}. */
        @CheckReturnValue
        Uni<List<DeniedKey>> mostDenied(int count);

        /** {@link RateLimitAdmin.PolicyAdmin#blocked}. */
        @CheckReturnValue
        Uni<List<BlockedKey>> blocked();
    }

    /** {@link RateLimitAdmin.KeyAdmin}. */
    interface KeyAdmin extends LimitsAdmin {

        /** {@link RateLimitAdmin.KeyAdmin#block}. */
        @CheckReturnValue
        Uni<Void> block(Duration time);

        /** {@link RateLimitAdmin.KeyAdmin#unblock}. */
        @CheckReturnValue
        Uni<Void> unblock();

        /** {@link RateLimitAdmin.KeyAdmin#reset}. */
        @CheckReturnValue
        Uni<Void> reset();
    }
}
