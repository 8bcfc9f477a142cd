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
import io.quarkiverse.ratelimit.spi.RateLimitPlan;

/**
 * A named rule, complete and validated. Nothing is looked up or converted after the application starts.
 *
 * @param limits at least one, sorted by name. A call is allowed if all of them allow it. If one denies, none is charged.
 * @param key composes the caller's key; {@code null} if only code uses the policy and passes the key with the call
 * @param normalize steps that change the text of key parts before it is compared
 * @param plans replace limits for some callers
 * @param exempt callers that the policy does not limit
 * @param countWhen response statuses for which a call counts
 * @param denialCache longest time for which an instance repeats a denial from Redis without another request to Redis
 * @param penalty blocks keys that are denied too often; {@code null} if no key can be blocked
 * @param prefetch permits that an instance acquires ahead
 * @param retryAfterJitter longest random time that is added to the wait of a denied caller; zero for none
 * @param obeyRetryAfter longest pause of a key for which a called service asks; zero for none
 * @param namesLimits whether headers and bodies name a limit beside the policy, because the policy was configured with several
 */
public record Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
        List<Normalization> normalize, OnRedisFailure onRedisFailure, Mode mode, boolean enabled, PlanTable plans,
        Exemptions exempt, Statuses countWhen, Duration denialCache, Penalty penalty, Prefetch prefetch,
        Duration retryAfterJitter, Duration obeyRetryAfter, boolean namesLimits) {

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
     * The permits that an instance acquires ahead.
     *
     * @param permits maximum for one key; 0 for none
     * @param time longest time for which it may keep them
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

    /** Creates a policy with all of its limits. */
    public Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey, List<Normalization> normalize,
            OnRedisFailure onRedisFailure, Mode mode, boolean enabled, PlanTable plans, Exemptions exempt, Statuses countWhen,
            Duration denialCache, Penalty penalty, Prefetch prefetch, Duration retryAfterJitter, Duration obeyRetryAfter) {
        this(name, limits, key, missingKey, normalize, onRedisFailure, mode, enabled, plans, exempt, countWhen, denialCache,
                penalty, prefetch, retryAfterJitter, obeyRetryAfter, limits.size() > 1);
    }

    /** Creates a policy with the defaults of all other properties. */
    public Policy(String name, List<PolicyLimit> limits, KeyTemplate key, MissingKey missingKey,
            OnRedisFailure onRedisFailure, Mode mode, boolean enabled) {
        this(name, limits, key, missingKey, List.of(), onRedisFailure, mode, enabled, PlanTable.NONE, Exemptions.NONE,
                Statuses.ALL, Duration.ZERO, null, Prefetch.NONE, Duration.ZERO, Duration.ZERO);
    }

    /** Returns whether this text is a valid name of a policy, a limit, a plan or a route. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Returns a constant as configuration contains it: in lower case, with dashes. */
    public static String written(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns whether the limits in force support prefetch. An override can replace a limit that does by one that does not.
     */
    public boolean supportsPrefetch() {
        return limits.size() == 1 && limits.get(0).rule().supportsPrefetch();
    }

    /** Returns whether a call holds permits of any limit while it runs. */
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

    /** Returns this policy with the limits that count calls, whatever they cost. The result may have no limits. */
    public Policy countingCalls() {
        return with(limits.stream().filter(limit -> !limit.countsCost()).toList(), penalty);
    }

    /** Returns this policy with the limits that a settlement changes. The result may have no limits. */
    public Policy settled() {
        return with(limits.stream().filter(limit -> limit.countsCost() && !limit.rule().holdsPermits()).toList(), penalty);
    }

    /** Returns the stored form of a caller's key; {@code null} if a part is missing and the policy has no value for it. */
    public String keyOf(CallDetails call) {
        return template().resolve(call, name, missingKey, normalize);
    }

    private KeyTemplate template() {
        return key == null ? KeyTemplate.GLOBAL : key;
    }

    public boolean exempts(CallDetails call) {
        return exempt.apply(call.caller())
                || !exempt.keyDigests().isEmpty() && exempt.containKey(template().value(call, name, normalize));
    }

    public boolean exempts(PassedKey passed) {
        return !passed.values().isEmpty()
                && (exempt.containKey(passed.values().get(0)) || exempt.containAddress(passed.values().get(0)));
    }

    public boolean deniesMissingKey() {
        return missingKey == MissingKey.DENY && mode == Mode.ENFORCE;
    }

    /** Returns whether a decision needs the authenticated caller. */
    public boolean needsIdentity() {
        return key != null && key.needsIdentity() || plans.needsIdentity() || exempt.needsIdentity();
    }

    /** Returns this policy with the limits of a plan. */
    public Policy with(Plan plan) {
        return plan.variant().variantOf(this, original -> original.with(plan.limits()));
    }

    /**
     * Returns the limits that code gives, under the names of the limits of this policy that they replace.
     *
     * @throws IllegalArgumentException when this policy has no limits of these names, or several limits but only one is given
     */
    public Map<String, Limit> limitsOf(RateLimitPlan given) {
        List<String> names = limits.stream().map(PolicyLimit::name).toList();
        if (given.limit().isPresent()) {
            if (names.size() > 1) {
                throw new IllegalArgumentException(
                        "Policy " + name + " has several limits: " + names + ". Give a map of limits by name.");
            }
            return Map.of(names.get(0), given.limit().get());
        }
        for (String limit : given.limits().keySet()) {
            if (!names.contains(limit)) {
                throw new IllegalArgumentException("Policy " + name + " has no limit \"" + limit + "\". Its limits: "
                        + names + ". Correct the name.");
            }
        }
        return given.limits();
    }

    /** Returns this policy with other limits in place of its own limits of the same names. They charge a call the same. */
    public Policy with(Map<String, Limit> others) {
        return with(limit -> {
            Limit other = others.get(limit.name());
            return other == null ? limit : new PolicyLimit(limit.name(), other.counts(limit.limit().counts()));
        });
    }

    public boolean mayDelay() {
        return !maxWait().isZero();
    }

    /** Returns the longest delay of a call; zero if it delays none. */
    public Duration maxWait() {
        Duration longest = Duration.ZERO;
        for (PolicyLimit limit : limits) {
            longest = LimitUsage.longer(longest, limit.limit().maxWait());
        }
        return longest;
    }

    /** Returns whether a delayed call can acquire its permits in advance from every limit. Only buckets support this. */
    public boolean canDelay() {
        return limits.stream().allMatch(limit -> limit.rule().mayWait());
    }

    /** Returns this policy with buckets that delay calls for up to {@code maxWait}. */
    public Policy withMaxWait(Duration maxWait) {
        return with(limit -> limit.withMaxWait(maxWait));
    }

    /** Returns this policy with each limit divided by the number of instances. Each limit keeps at least 1 permit. */
    public Policy dividedBy(int replicas) {
        return with(limit -> limit.dividedBy(replicas));
    }

    /** Returns this policy for a call that has waited for this long: its limits delay it for that much less. */
    public Policy after(Duration waited) {
        return with(limit -> limit.limit().maxWait().isZero() ? limit
                : limit.withMaxWait(LimitUsage.longer(limit.limit().maxWait().minus(waited), Duration.ZERO)));
    }

    /** Returns this policy with the limits of these states. They may be overridden, or divided among instances. */
    public Policy withLimitsOf(List<LimitState> states) {
        return with(states.stream().map(state -> new PolicyLimit(state.limit(), state.definition())).toList(), penalty);
    }

    public Policy withPenalty(Penalty other) {
        return with(limits, other);
    }

    /** Returns this policy in shadow mode. */
    public Policy inShadow() {
        return with(limits, penalty, Mode.SHADOW);
    }

    private Policy with(List<PolicyLimit> limits, Penalty penalty) {
        return with(limits, penalty, mode);
    }

    private Policy with(List<PolicyLimit> limits, Penalty penalty, Mode mode) {
        return new Policy(name, limits, key, missingKey, normalize, onRedisFailure, mode, enabled, plans, exempt, countWhen,
                denialCache, penalty, prefetch, retryAfterJitter, obeyRetryAfter, namesLimits);
    }

    /** Returns whether an instance may repeat some denials without a request to Redis. */
    public boolean repeatsDenials() {
        return !denialCache.isZero() && mode == Mode.ENFORCE && (penalty != null || denialsLast());
    }

    /**
     * Returns whether a denial is valid until permits are refilled: none is refunded or released, and denials do not begin a
     * block.
     */
    public boolean denialsLast() {
        return !countWhen.areRestricted() && !holdsPermits() && !countsDenials();
    }

    /** Returns whether code has blocked the key to which this policy applies. */
    public boolean isBlocked() {
        return penalty != null && penalty.isBlocked();
    }

    /** Returns why the calls of a blocked key are denied. */
    public DenialReason reasonOfBlock() {
        return penalty.reason();
    }

    /** Returns this policy with a penalty that blocks keys, but counts no denials. */
    public Policy withoutCountingDenials() {
        return countsDenials() ? withPenalty(penalty.withoutCounting()) : this;
    }

    public boolean countsDenials() {
        return penalty != null && penalty.counts();
    }

    private Policy with(UnaryOperator<PolicyLimit> change) {
        return with(limits.stream().map(change).toList(), penalty);
    }
}
