package io.quarkiverse.ratelimit.runtime.policy.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.caller.Normalization;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.config.Percentage.PercentageConverter;
import io.quarkus.runtime.annotations.ConfigDocDefault;
import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigGroup;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;

/** A policy: one limit or several named ones, and the key that identifies a caller. */
@ConfigGroup
public interface PolicyConfig extends LimitConfig {

    /**
     * Several limits by name, each with the properties that follow. They replace the limit of the policy and inherit nothing
     * from it. All limits must allow a call; if one denies it, none is charged. A name has 1 to 64 letters, digits, underscores
     * and dashes.
     */
    @ConfigDocMapKey("limit")
    Map<String, LimitConfig> limits();

    /**
     * Key that identifies a caller: one part, or several separated by commas. The parts are {@code ip} (the caller's address),
     * {@code principal} (the name of the authenticated caller), {@code method} (the limited Java method), {@code header:NAME}
     * (the first value of a request header), {@code cookie:NAME}, {@code path:NAME} (a path parameter), {@code query:NAME},
     * {@code claim:NAME} (a claim of the caller's token, or a path such as {@code claim:org/id} to a claim within claims) and
     * {@code bean:NAME} (the application's {@code RateLimitKeyResolver} with this {@code @Identifier}). {@code global} alone is
     * one count for everybody. Required where a route or an annotation uses the policy, unless {@code @RateLimitKey} provides
     * the key.
     */
    Optional<String> key();

    /**
     * Changes to the text of key parts before it is compared, so that several spellings of it are one caller: {@code trim}
     * removes white space around it, {@code lower-case} converts letters to lower case, and {@code nfkc} makes Unicode
     * characters equal that look the same, such as composed and decomposed accents. Any of these, separated by commas. Applies
     * to requests, arguments with {@code @RateLimitKey}, code, administration and {@code exempt-keys}.
     */
    Optional<Set<Normalization>> normalize();

    /** Decision when a part of the key is absent, for example the name of an anonymous caller. */
    @WithDefault("ip")
    MissingKey missingKey();

    /** Decision while Redis is unavailable. */
    @ConfigDocDefault("the value of quarkus.rate-limit.on-redis-failure")
    Optional<OnRedisFailure> onRedisFailure();

    /** Mode of the policy: it denies calls, or only reports them. */
    @WithDefault("enforce")
    Mode mode();

    /**
     * Enables the policy. A disabled policy allows every call and counts nothing. Its configuration is still checked, and
     * annotations may name it.
     */
    @WithDefault("true")
    boolean enabled();

    /**
     * Roles whose callers are not limited. Limiters used in code with {@code forKey} ignore {@code exempt-roles} and
     * {@code exempt-ips}.
     */
    Optional<List<String>> exemptRoles();

    /**
     * Addresses that are not limited: blocks such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}, or single addresses.
     * Requests with forwarding headers that the application is not configured to use are never exempt by address.
     */
    Optional<List<String>> exemptIps();

    /**
     * Values of the key that are not limited, if the key has one part: for {@code key=header:X-Api-Key}, the API keys that
     * are not limited. {@code sha256:HEX} stands for a value that must not be in the configuration; {@code HEX} is its
     * SHA-256. With {@code normalize}, the digest is that of the normalized value. For {@code key=ip}, these are
     * addresses and blocks of addresses. An IPv6 address stands for its prefix, see {@code quarkus.rate-limit.ipv6-prefix}.
     * Also applies to limiters used in code and to administration. A block of an exempt key has no effect.
     */
    Optional<List<String>> exemptKeys();

    /**
     * Source of a caller's plan: {@code claim:NAME} (a claim of the caller's token contains the name of the plan),
     * {@code roles} (a role has the name of the plan; of several the first in {@code plan-order}) or {@code bean:NAME} (the
     * application's {@code RateLimitPlanResolver} with this {@code @Identifier}, which returns the name of a plan, or limits).
     * The policy's own limits apply to callers without a plan, and to those whose plan is not one of {@code plans}.
     */
    Optional<String> plan();

    /**
     * Time for which an instance keeps the plan that {@code plan=bean:NAME} returned for a key. Up to 1 day; with {@code 0},
     * the bean is called for every decision. While the bean fails, the last known plan of the key applies. The plans of 50 000
     * keys are kept. Allowed only with {@code plan=bean:NAME}.
     */
    @WithDefault("0")
    @ConfigDocDefault("0")
    Duration planCache();

    /**
     * Order of {@code plans} for {@code plan=roles}: if a caller has several, the first in this order applies. Plans that are
     * not listed follow by name. Allowed only with {@code plan=roles}.
     */
    Optional<List<String>> planOrder();

    /** Other limits for some callers, by the name of the plan: 1 to 64 letters, digits, underscores and dashes. */
    @ConfigDocMapKey("plan")
    Map<String, PlanConfig> plans();

    /**
     * Responses for which a request counts: statuses such as {@code 401,403}, or classes such as {@code 5xx}. {@code !}
     * excludes: with {@code !2xx,!304}, all other statuses count, and with {@code 4xx,!404}, all of the class but one. In YAML,
     * put it in quotes. A request is charged first and refunded after any other response. A bean method that is called within a
     * request counts by the response to that request. Calls outside of a request, of AI services, and by a limiter in code
     * always count.
     */
    @ConfigDocDefault("all")
    Optional<List<String>> countWhen();

    /**
     * Longest time for which an instance keeps denying a key by itself after Redis denied it, so that callers that do not wait
     * cost next to nothing. Up to 1 minute; {@code 0} turns the cache off. An entry ends as soon as the call would be allowed,
     * and when this instance refunds, resets or overrides. A change by another instance is seen after this time at the latest.
     * Not used for calls under several policies and shadow mode. With {@code concurrency}, {@code count-when} or a
     * {@code penalty}, it is used only while the key is blocked.
     */
    @WithDefault("1s")
    @ConfigDocDefault("1s")
    Duration denialCache();

    /**
     * Percentage of a limit, from {@code 1%} to {@code 100%}. When at least this much of a limit is used after an allowed call,
     * the limiter fires the CDI event {@code RateLimitApproached} if the application observes it, and increments the metric
     * {@code rate.limit.approached}. At most once per key and minute on an instance. With {@code count-when}, only a call that
     * its status does not refund does so.
     */
    @WithConverter(PercentageConverter.class)
    Optional<Percentage> warnAt();

    /**
     * Longest random time that is added to the wait that a denied caller gets, so that clients that share a key do not all come
     * back at once. Each response has one random time, from 0 to this one. It changes {@code Retry-After},
     * {@code X-RateLimit-Reset}, {@code t} of the denying limit in {@code RateLimit}, {@code detail}, and the waits of gRPC and
     * GraphQL. It changes no decision, and {@code retryAfter()} in code stays exact. Up to 1 day; {@code 0} turns it off.
     */
    @WithDefault("0")
    @ConfigDocDefault("0")
    Duration retryAfterJitter();

    /**
     * Another policy, which is asked when this one denies a call. If it allows the call, it alone is charged. It may have an
     * {@code overflow} of its own. All policies of such a chain are decided together, except that in a cluster the policies
     * with other keys are asked one after the other. A part of the key that this policy has, too, gets the same value there. A
     * policy without {@code key} gets the arguments of {@code @RateLimitKey}, in code the values after those of this policy's
     * key. If this policy is blocked or paused, or denies a missing key, the overflow is not asked. Not with
     * {@code concurrency}, {@code prefetch} and {@code mode=shadow}; only the last policy of a chain may have
     * {@code max-wait}.
     */
    Optional<String> overflow();

    /** Blocks keys that are denied too often. */
    PenaltyConfig penalty();

    /**
     * Longest pause that a called service may ask for: when it responds to a call of a REST client or of an AI service with an
     * error and {@code Retry-After}, all instances pause the key of that call until then, at most for this long. Calls with
     * {@code max-wait} wait for the end of the pause, and then go at the pace of the limit; others are denied with the reason
     * {@code PAUSED}. Up to 366 days; with {@code 0}, nothing pauses.
     */
    @WithDefault("0")
    @ConfigDocDefault("0")
    Duration obeyRetryAfter();

    /**
     * Maximum number of permits that one instance may acquire ahead for one key, in the request of a call, to hand them out
     * without another request to Redis. From 0 to the capacity; {@code 0} turns it off. An instance acquires ahead only for
     * keys that it uses often, no more than it will need, and nothing when less than an eighth of the capacity is left. It
     * refunds what it has not used within {@code prefetch-time}. Only for a policy with one limit: a {@code token-bucket}
     * without {@code max-wait}, or a {@code fixed-window}.
     */
    @WithDefault("0")
    @ConfigDocDefault("0")
    long prefetch();

    /**
     * Longest time for which an instance may keep permits that it has acquired ahead. It looks back at the calls of a key for
     * the same time. From 1 ms to 1 minute; with a {@code penalty}, not longer than 1 s, so that its blocks are in effect on
     * all instances by then. In any span of time, no more calls are allowed than the limit allows in that span plus this time.
     * Allowed only with {@code prefetch}.
     */
    @WithDefault("500ms")
    @ConfigDocDefault("500ms")
    Duration prefetchTime();

    /** Replaces limits of a policy for some of its callers. The policy provides the values that the plan does not set. */
    @ConfigGroup
    interface PlanConfig extends PlanLimitConfig {

        /** Values for the named limits of the policy, if it has {@code limits}. */
        @ConfigDocMapKey("limit")
        Map<String, PlanLimitConfig> limits();

        /** Lifts all limits of the policy for callers of this plan. */
        @WithDefault("false")
        boolean unlimited();
    }

    /** Blocks keys that are denied too often. */
    @ConfigGroup
    interface PenaltyConfig {

        /**
         * Number of denials within {@code penalty.within} that block a key, 1 to 1000. A blocked key is denied, whatever its
         * limits allow, and its calls are not counted. Requires {@code penalty.within} and {@code penalty.block}. Without them,
         * only code and operators block keys.
         */
        @ConfigDocDefault("no penalty")
        Optional<Integer> after();

        /** Time in which the denials count, 1 ms to 366 days. Denials before a block do not count after it. */
        @ConfigDocDefault("no penalty")
        Optional<Duration> within();

        /** Time for which a key is blocked, 1 ms to 366 days. */
        @ConfigDocDefault("no penalty")
        Optional<Duration> block();

        /**
         * Longest block, at least {@code penalty.block}, up to 366 days. A block that begins within this time after the end of
         * the last one is twice as long as that one, up to this time.
         */
        @ConfigDocDefault("the value of penalty.block")
        Optional<Duration> maxBlock();
    }
}
