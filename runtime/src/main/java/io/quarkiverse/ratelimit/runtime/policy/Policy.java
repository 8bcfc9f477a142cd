package io.quarkiverse.ratelimit.runtime.policy;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.caller.Normalization;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;

/**
 * A named rule, complete and validated. Nothing is looked up or converted after the application starts.
 *
 * @param limits at least one, sorted by name. A call is allowed if all of them allow it. If one denies, none is charged.
 * @param key composes the caller's key; {@code null} if only code uses the policy and passes the key with the call
 * @param normalize the steps that change the text of key parts before it is compared
 * @param plans replace limits for some callers
 * @param exempt the callers that the policy does not limit
 * @param countWhen the response statuses for which a call counts
 * @param denialCache how long at most an instance repeats a denial from Redis without another request to Redis
 * @param penalty blocks keys that are denied too often; {@code null} if no key can be blocked
 * @param prefetch how an instance acquires permits ahead
 * @param retryAfter when a denied caller is told to call again
 * @param obeyRetryAfter the longest pause of a key for which a called service asks; zero for none
 */
public record Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
        List<Normalization> normalize, OnRedisFailure onRedisFailure, Mode mode, boolean enabled, PlanTable plans,
        Exemptions exempt, Statuses countWhen, Duration denialCache, Penalty penalty, Prefetch prefetch,
        RetryAfter retryAfter, Duration obeyRetryAfter) {

    /** Blocks are in effect on all instances within this time. */
    private static final Duration BLOCKS_IN_EFFECT = Duration.ofSeconds(1);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    public Policy {
        limits = List.copyOf(limits);
        normalize = List.copyOf(normalize);
        // so that a block which another instance begins is in effect here in time
        prefetch = penalty == null ? prefetch : prefetch.forAtMost(BLOCKS_IN_EFFECT);
    }

    /**
     * How an instance acquires permits ahead.
     *
     * @param permits how many for one key at most; 0 for none
     * @param time for how long it may keep them
     */
    public record Prefetch(long permits, Duration time) {

        public static final Prefetch NONE = new Prefetch(0, Duration.ZERO);

        private Prefetch forAtMost(Duration longest) {
            return time.compareTo(longest) <= 0 ? this : new Prefetch(permits, longest);
        }

        public boolean isOff() {
            return permits == 0;
        }
    }

    /** A policy with the defaults of all other properties. */
    public Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
            OnRedisFailure onRedisFailure, Mode mode, boolean enabled) {
        this(name, limits, key, missingKey, List.of(), onRedisFailure, mode, enabled, PlanTable.NONE, Exemptions.NONE,
                Statuses.ALL, Duration.ZERO, null, Prefetch.NONE, RetryAfter.EARLIEST, Duration.ZERO);
    }

    /** Whether this text is a valid name of a policy, a limit, a plan or a route. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** A constant as configuration writes it: in lower case, with dashes. */
    public static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether permits can be acquired ahead. An override may have a limit of which they cannot. */
    public boolean supportsPrefetch() {
        return limits.size() == 1 && limits.get(0).rule().supportsPrefetch();
    }

    /** Whether a call holds permits of any limit while it runs. */
    public boolean holdsPermits() {
        for (PolicyLimit limit : limits) {
            if (limit.rule().holdsPermits()) {
                return true;
            }
        }
        return false;
    }

    public long maxCost() {
        return limits.stream().anyMatch(limit -> limit.rule().holdsPermits() && limit.countsCost())
                ? Limit.MAX_HELD_PERMITS
                : Limit.MAX_PERMITS;
    }

    public boolean countsCostOnly() {
        return limits.stream().allMatch(PolicyLimit::countsCost);
    }

    /** This policy with the limits that a settlement changes. The result may have no limits. */
    public Policy settled() {
        return with(limits.stream().filter(limit -> limit.countsCost() && !limit.rule().holdsPermits()).toList(), penalty);
    }

    /** The stored form of a caller's key; {@code null} where a part is missing and the policy has no value for it. */
    public String keyOf(CallDetails call) {
        return template().resolve(call, missingKey, normalize);
    }

    private KeyTemplate template() {
        return key == null ? KeyTemplate.GLOBAL : key;
    }

    public boolean exempts(CallDetails call) {
        return exempt.apply(call.caller())
                || !exempt.keyDigests().isEmpty() && exempt.containKey(template().value(call, normalize));
    }

    public boolean exempts(PassedKey passed) {
        return !passed.values().isEmpty() && exempt.containKey(passed.values().get(0));
    }

    public boolean deniesMissingKey() {
        return missingKey == MissingKey.DENY && mode == Mode.ENFORCE;
    }

    /** Whether a decision needs the authenticated caller. */
    public boolean needsIdentity() {
        return key != null && key.needsIdentity() || plans.needsIdentity() || exempt.needsIdentity();
    }

    /** This policy with other limits in place of its own limits of the same names. What they charge a call stays. */
    public Policy with(Map<String, Limit> others) {
        return with(limit -> {
            Limit other = others.get(limit.name());
            return other == null ? limit : new PolicyLimit(limit.name(), other.counts(limit.limit().counts()));
        });
    }

    public boolean mayDelay() {
        return !maxWait().isZero();
    }

    /** The longest delay of a call; zero if it delays none. */
    public Duration maxWait() {
        Duration longest = Duration.ZERO;
        for (PolicyLimit limit : limits) {
            longest = LimitUsage.longer(longest, limit.limit().maxWait());
        }
        return longest;
    }

    /** Whether a delayed call can acquire its permits in advance from every limit. Only buckets support this. */
    public boolean canDelay() {
        return limits.stream().allMatch(limit -> limit.rule().mayWait());
    }

    /** This policy with buckets that delay calls for up to {@code maxWait}. */
    public Policy withMaxWait(Duration maxWait) {
        return with(limit -> limit.withMaxWait(maxWait));
    }

    /** This policy with each limit divided by the number of instances. Each limit keeps at least 1 permit. */
    public Policy dividedBy(int replicas) {
        return with(limit -> limit.dividedBy(replicas));
    }

    /** This policy for a call that has waited for this long: its limits delay it for that much less. */
    public Policy after(Duration waited) {
        return with(limit -> limit.limit().maxWait().isZero() ? limit
                : limit.withMaxWait(LimitUsage.longer(limit.limit().maxWait().minus(waited), Duration.ZERO)));
    }

    /** This policy with the limits of these states. They may be overridden, or divided among instances. */
    public Policy withLimitsOf(List<LimitState> states) {
        return with(states.stream().map(state -> new PolicyLimit(state.limit(), state.definition())).toList(), penalty);
    }

    public Policy withPenalty(Penalty other) {
        return with(limits, other);
    }

    private Policy with(List<PolicyLimit> limits, Penalty penalty) {
        return new Policy(name, limits, key, missingKey, normalize, onRedisFailure, mode, enabled, plans, exempt, countWhen,
                denialCache, penalty, prefetch, retryAfter, obeyRetryAfter);
    }

    /** Whether an instance may repeat some denials without a request to Redis. */
    public boolean repeatsDenials() {
        return !denialCache.isZero() && mode == Mode.ENFORCE && (penalty != null || denialsLast());
    }

    /** Whether a denial is valid until permits are refilled: none is refunded or released, and denials do not begin a block. */
    public boolean denialsLast() {
        return !countWhen.areRestricted() && !holdsPermits() && !countsDenials();
    }

    /** Whether code has blocked the key for which this is the policy in force. */
    public boolean isBlocked() {
        return penalty != null && penalty.isBlocked();
    }

    /** Why the calls of a blocked key are denied. */
    public DenialReason reasonOfBlock() {
        return penalty.reason();
    }

    public boolean countsDenials() {
        return penalty != null && penalty.counts();
    }

    private Policy with(UnaryOperator<PolicyLimit> change) {
        return with(limits.stream().map(change).toList(), penalty);
    }
}
