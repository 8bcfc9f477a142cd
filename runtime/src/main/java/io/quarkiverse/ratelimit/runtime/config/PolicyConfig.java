package io.quarkiverse.ratelimit.runtime.config;

import java.util.Map;
import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithDefault;

/** A policy: one limit of its own or several named ones, and whom they count. */
@ConfigGroup
public interface PolicyConfig extends LimitConfig {

    /**
     * Several limits by name, each with the properties that follow, in place of the policy's own, of which they inherit
     * nothing: all must admit, and none is charged when one refuses. Names are 1 to 64 letters, digits, underscores and
     * dashes.
     */
    @ConfigDocMapKey("limit")
    Map<String, LimitConfig> limits();

    /**
     * Who is calling, one part or several, comma-separated: {@code ip} (the caller's address), {@code principal} (the name
     * of the authenticated caller), {@code method} (the guarded Java method), {@code header:NAME} (the first value of a
     * request header), {@code cookie:NAME}, {@code path:NAME} (a path parameter), {@code query:NAME}, {@code claim:NAME} (of
     * the caller's token), {@code bean:NAME} (the application's {@code RateLimitKeyResolver} of this {@code @Identifier}); or
     * {@code none} alone for one count for all. Required where a route or an annotation uses the policy, unless
     * {@code @RateLimitKey} gives it.
     */
    Optional<String> key();

    /**
     * What happens when a part of the key is absent, such as the name of an anonymous caller: {@code ip} counts the
     * caller's address instead, or, where there is none, all such callers together; {@code shared} counts all such callers
     * together; {@code refuse} refuses the call; {@code skip} leaves the policy out.
     */
    @WithDefault("ip")
    Optional<String> missingKey();

    /** What the policy does when Redis cannot decide: {@code local}, {@code allow} or {@code refuse}. */
    @ConfigDocDefault("the value of quarkus.rate-limit.on-redis-failure")
    Optional<String> onRedisFailure();

    /**
     * Whether the policy refuses calls: {@code enforce} does, {@code shadow} counts, logs at DEBUG what it would
     * have refused, and admits it.
     */
    @WithDefault("enforce")
    Optional<String> mode();

    /**
     * Whether the policy is in force, {@code true} or {@code false}. When {@code false} it admits every call and counts
     * nothing; it is checked all the same, and annotations may name it.
     */
    @WithDefault("true")
    Optional<String> enabled();

    /**
     * Roles whose callers are not limited, comma-separated. Limiters that code asks know no exemptions.
     */
    Optional<String> exemptRoles();

    /**
     * Addresses that are not limited, comma-separated: blocks such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}, or single
     * ones. Where forwarding headers arrive that are not configured to count, nobody is exempt by address.
     */
    Optional<String> exemptIps();

    /**
     * What says which of the {@code plans} a caller has: {@code claim:NAME} (the value of a claim of the caller's token is the
     * plan's name), {@code roles} (a role is called like the plan; of several the first in {@code plan-order}) or
     * {@code bean:NAME} (the application's {@code RateLimitPlanResolver} of this {@code @Identifier}). The policy's own
     * numbers are for callers who have none, or one that is not among the {@code plans}.
     */
    Optional<String> plan();

    /**
     * The names of {@code plans}, comma-separated: of several roles the first in this order counts. Those that are not
     * listed follow by name. It has a meaning only for {@code plan=roles}.
     */
    Optional<String> planOrder();

    /** Other numbers for some callers, by the name of the plan: 1 to 64 letters, digits, underscores and dashes. */
    @ConfigDocMapKey("plan")
    Map<String, PlanConfig> plans();

    /**
     * For which responses a request counts: statuses and classes of them, comma-separated, such as {@code 401,403} or
     * {@code 5xx}. The request is charged first; after another response its permits are given back. What is no HTTP request
     * always counts.
     */
    @ConfigDocDefault("all")
    Optional<String> countWhen();

    /**
     * The longest that an instance goes on refusing by itself what Redis has just refused, so that callers who do not wait
     * cost next to nothing: a duration up to 1 m, {@code 0} for never. It ends as soon as the call would be admitted, and when
     * this instance refunds, resets or overrides; what other instances do is seen after this time. It concerns calls under
     * one policy, but for {@code concurrency}, {@code count-when} and shadow mode.
     */
    @WithDefault("1s")
    Optional<String> denialCache();
}
