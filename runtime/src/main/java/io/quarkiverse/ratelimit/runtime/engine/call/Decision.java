package io.quarkiverse.ratelimit.runtime.engine.call;

import static java.time.temporal.ChronoUnit.MICROS;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * Holds the decision of one policy. The states of its limits are calculated from the reply of the store on first use, because
 * most calls only need to know whether they are allowed.
 *
 * @param appliedPolicy the policy with the limits in force; the states have divided limits where the instance counted for
 *        itself
 * @param charged whether the call is charged in the end, also where only limits count it that count calls
 * @param charge {@code null} where the states are known from the beginning
 * @param first the position of the policy's first limit in the reply
 * @param age microseconds from the reply to the time for which the states apply, as if no other call was counted since
 * @param chain the other policies that were asked, if this decision stands for a policy and its overflows; {@code null} if it
 *        stands for one policy
 */
public record Decision(Policy appliedPolicy, Acquired acquired, boolean allowed, boolean charged, long granted, Source source,
        Charge charge, StoreReply reply, int first, long age, Known known, Chain chain) implements RateLimitDecision {

    /**
     * Holds the decisions of the other policies that were asked for the same call.
     *
     * @param before those that were asked before the one that stands for the chain
     * @param after those that were asked after it; empty if it allows the call
     */
    public record Chain(List<Decision> before, List<Decision> after) {
    }

    /**
     * Identifies what a call acquired of one policy: all decisions about the call have the same one.
     *
     * @param id of the call
     */
    public record Acquired(long id, String policy, String key) {
    }

    /** What was calculated on first use. Two threads may both calculate it, with the same result. */
    public static final class Known {

        private List<LimitState> limits;
        private DenialReason reason;

        private static Known of(List<LimitState> limits, DenialReason reason) {
            Known known = new Known();
            known.limits = limits;
            known.reason = reason;
            return known;
        }
    }

    /**
     * Creates the decision of a store about one policy of a call.
     *
     * @param first the position of the policy's first limit in the reply
     * @param callAllowed whether all policies that can deny the call allow it
     * @param age how many microseconds ago the store replied
     */
    static Decision of(KeyedCharge keyed, StoreReply reply, int first, boolean callAllowed, Source source, long id, long age) {
        Charge charge = keyed.charge();
        boolean allowed = charge.allowedBy(reply, first);
        // a shadow policy that would deny the call is not charged
        boolean charged = callAllowed && allowed && charge.requested().kind() != OperationKind.PEEK;
        return new Decision(charge.policy(), new Acquired(id, charge.policy().name(), keyed.key()), allowed, charged,
                charged ? charge.granted(reply, first) : 0, source, charge, reply, first, age, new Known(), null);
    }

    /**
     * Returns the decision that stands for a policy and its overflows: of the last one asked if the call is allowed, which is
     * the one that pays. Otherwise, that of the shortest wait, or of the first if waiting does not help, or if it is blocked.
     *
     * @param asked at least one, in the order in which they were asked
     */
    public static Decision ofChain(List<Decision> asked) {
        int told = asked.get(asked.size() - 1).allowed ? asked.size() - 1 : shortestWait(asked);
        return asked.get(told).in(new Chain(asked.subList(0, told), asked.subList(told + 1, asked.size())));
    }

    private static int shortestWait(List<Decision> denials) {
        int shortest = 0;
        if (denials.get(0).reason() == DenialReason.BLOCKED) {
            return shortest;
        }
        for (int i = 1; i < denials.size(); i++) {
            Decision denial = denials.get(i);
            boolean waits = !denial.neverAllowed() && denial.reason() != DenialReason.REDIS_UNAVAILABLE
                    && !denial.isAboveCapacity();
            if (waits && (denials.get(shortest).neverAllowed()
                    || denial.retryAfter().compareTo(denials.get(shortest).retryAfter()) < 0)) {
                shortest = i;
            }
        }
        return shortest;
    }

    /** Returns whether the call is not allowed after the end of a block either. */
    private boolean isAboveCapacity() {
        for (int i = 0; charge != null && i < charge.limitRequests().size(); i++) {
            if (charge.limitRequests().get(i).cost() > ownLimits().get(i).permits()) {
                return true;
            }
        }
        return false;
    }

    private Decision in(Chain others) {
        return new Decision(appliedPolicy, acquired, allowed, charged, granted, source, charge, reply, first, age, known,
                others);
    }

    /** Returns this decision for a call that another policy was asked for first, and denied. */
    public Decision paidFor(Policy denying) {
        return in(new Chain(List.of(uncounted(denying, "", 0, source, DenialReason.LIMIT_REACHED)), List.of()));
    }

    /** Returns the decisions of all policies that were asked, in this order. */
    public List<Decision> asked() {
        if (chain == null) {
            return List.of(this);
        }
        List<Decision> all = new ArrayList<>(chain.before);
        all.add(in(null));
        all.addAll(chain.after);
        return all;
    }

    /** Returns the decisions that responses show: those of all policies that were asked, but not in shadow mode. */
    public List<Decision> shown() {
        return asked().stream().filter(decision -> decision.appliedPolicy.mode() != Mode.SHADOW).toList();
    }

    /** Returns the decision of the policy that was asked first. */
    public Decision firstAsked() {
        return chain == null || chain.before.isEmpty() ? this : chain.before.get(0);
    }

    /** Returns the decision of the policy that was asked last. */
    public Decision lastAsked() {
        return chain == null || chain.after.isEmpty() ? this : chain.after.get(chain.after.size() - 1);
    }

    /**
     * Creates the decision about a call that nothing counts: no limit applies to it, a part of its key is missing, or Redis is
     * unavailable.
     *
     * @param reason {@code null} if it is allowed
     */
    public static Decision uncounted(Policy policy, String key, long granted, Source source, DenialReason reason) {
        return recorded(policy, key, 0, granted, source, List.of(), reason, Instant.EPOCH);
    }

    /**
     * Creates a decision whose states are known.
     *
     * @param reason {@code null} if it is allowed
     */
    public static Decision recorded(Policy appliedPolicy, String key, long id, long granted, Source source,
            List<LimitState> limits, DenialReason reason, Instant decidedAt) {
        return recorded(appliedPolicy, new Acquired(id, appliedPolicy.name(), key), granted, source, limits, reason, decidedAt);
    }

    private static Decision recorded(Policy appliedPolicy, Acquired acquired, long granted, Source source,
            List<LimitState> limits, DenialReason reason, Instant decidedAt) {
        return new Decision(appliedPolicy, acquired, reason == null, granted > 0, granted, source, null,
                new StoreReply(MICROS.between(Instant.EPOCH, decidedAt), List.of()), 0, 0, Known.of(limits, reason), null);
    }

    /** Returns the id of the call, which identifies what it acquired among other calls of the same key. */
    public long id() {
        return acquired.id;
    }

    @Override
    public String policy() {
        return acquired.policy;
    }

    @Override
    public String key() {
        return acquired.key;
    }

    @Override
    public String limit() {
        return isCounted() ? determining().limit() : firstLimit().name();
    }

    @Override
    public long permits() {
        return isCounted() ? determining().permits() : firstLimit().limit().burst();
    }

    @Override
    public long remaining() {
        return isCounted() ? ownLimits().stream().mapToLong(LimitState::remaining).min().orElseThrow()
                : source == Source.NOT_LIMITED ? permits() : 0;
    }

    @Override
    public Duration delay() {
        return appliedPolicy.mode() == Mode.SHADOW ? Duration.ZERO : LimitUsage.longest(ownLimits(), LimitState::delay);
    }

    @Override
    public Duration retryAfter() {
        return allowed ? Duration.ZERO
                : isCounted() ? determining().retryAfter()
                        : Duration.ofSeconds(known.reason == DenialReason.REDIS_UNAVAILABLE ? 1 : 0);
    }

    @Override
    public Duration resetAfter() {
        return LimitUsage.resetAfter(ownLimits());
    }

    @Override
    public Optional<DenialReason> denialReason() {
        return Optional.ofNullable(reason());
    }

    @Override
    public Instant decidedAt() {
        return chargedAt().plus(age, MICROS);
    }

    private boolean isCounted() {
        return !ownLimits().isEmpty();
    }

    private LimitState determining() {
        return LimitUsage.determining(ownLimits());
    }

    private PolicyLimit firstLimit() {
        return appliedPolicy.limits().get(0);
    }

    /** Returns the states with the names of their policies, also those of other policies that were asked for the call. */
    @Override
    public List<LimitState> limits() {
        return asked().stream().flatMap(decision -> decision.ownLimits().stream()
                .<LimitState> map(limit -> LimitUsage.of(decision.policy(), limit))).toList();
    }

    /** Returns the states of the limits of this policy. */
    public List<LimitState> ownLimits() {
        List<LimitState> limits = known.limits;
        if (limits == null) {
            limits = limits(source, age);
            known.limits = limits;
        }
        return limits;
    }

    /** Returns the states when the store charged the call: before its delay, or when its permits were acquired ahead. */
    public List<LimitState> limitsAsCharged() {
        return age == 0 ? ownLimits() : limits(chargedIn(), 0);
    }

    /** Returns where the call is charged: prefetched permits are charged in Redis. */
    public Source chargedIn() {
        return source == Source.PREFETCHED ? Source.REDIS : source;
    }

    /** Returns when the store charged the call. */
    public Instant chargedAt() {
        return Instant.EPOCH.plus(reply.time(), MICROS);
    }

    private List<LimitState> limits(Source source, long age) {
        Duration block = charge.allowedBy(reply, first) ? Duration.ZERO : charge.blockedFor(reply, first);
        LimitState[] all = new LimitState[charge.limitRequests().size()];
        for (int i = 0; i < all.length; i++) {
            UsageReply usage = reply.usage(first + i);
            LimitState replied = usage.state(charge.policy().limits().get(i).name(), charge.limitRequests().get(i),
                    reply.time(), charged);
            LimitState decided = block.isZero() ? replied : LimitUsage.blocked(replied, block);
            all[i] = age == 0 ? decided : later(decided, usage, source, age);
        }
        return List.of(all);
    }

    private LimitState later(LimitState state, UsageReply usage, Source source, long age) {
        return switch (source) {
            // the store does not know which prefetched permits were handed out since, so none that came back are added
            case PREFETCHED -> LimitUsage.later(state, age, state.remaining(), state.nextPermitAfter());
            case DENIAL_CACHE -> LimitUsage.later(state, age, state.remaining(),
                    LimitUsage.less(state.nextPermitAfter(), age));
            case REDIS, MEMORY, FALLBACK, NOT_LIMITED -> usage.later(state, age, reply.time(), charged);
        };
    }

    /** Returns why the call was denied; {@code null} when it was allowed. */
    public DenialReason reason() {
        DenialReason reason = known.reason;
        if (reason == null && !allowed) {
            reason = charge.blockedFor(reply, first).isZero()
                    ? determining().retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY : DenialReason.LIMIT_REACHED
                    : appliedPolicy.reasonOfBlock();
            known.reason = reason;
        }
        return reason;
    }

    /** Returns the decision as the denial cache repeats it, this many microseconds after the reply. */
    public Decision repeated(long micros) {
        return copy(allowed, charged, granted, Source.DENIAL_CACHE, micros);
    }

    /** Returns the decision with its limits this many microseconds later. One by prefetched permits stays as it is. */
    Decision later(long micros) {
        return allowed && source != Source.PREFETCHED && charge != null ? copy(true, charged, granted, source, age + micros)
                : this;
    }

    /** Returns the decision for a call that is not charged in the end. */
    Decision uncharged() {
        return copy(allowed, false, 0, source, 0);
    }

    /** Returns the decision of a policy in shadow mode as code gets it, and the call for which it is asked: it is allowed. */
    Decision inShadow() {
        return copy(true, charged, granted, source, age);
    }

    /** Returns the decision of a call that has acquired this many permits in the end. */
    Decision settled(long actual) {
        return recorded(appliedPolicy, acquired, actual, source, ownLimits(), reason(), decidedAt()).in(chain);
    }

    private Decision copy(boolean allowed, boolean charged, long granted, Source source, long age) {
        // a reason that is known is not calculated again for each repetition of a denial
        return new Decision(appliedPolicy, acquired, allowed, charged, granted, source, charge, reply, first, age,
                Known.of(charge == null ? known.limits : null, allowed ? null : known.reason), chain);
    }

    /** Returns a random time, up to {@code retry-after-jitter}, by which the caller of this denial waits longer. */
    public Duration randomJitter() {
        long longest = LimitUsage.micros(appliedPolicy.retryAfterJitter());
        return longest == 0 ? Duration.ZERO : LimitUsage.micros(ThreadLocalRandom.current().nextLong(longest + 1));
    }

    /** Returns the denial with a longer wait for the limit that determines it. */
    Decision withLongerWait(Duration jitter) {
        LimitState determining = determining();
        return recorded(appliedPolicy, acquired, granted, source, ownLimits().stream()
                .map(limit -> limit == determining ? LimitUsage.withLongerWait(limit, jitter) : limit).toList(), reason(),
                decidedAt()).in(chain);
    }

    /** Leaves out the configuration of the policy, as applications may log decisions. */
    @Override
    public String toString() {
        return "RateLimitDecision[policy=" + policy() + ", limit=" + limit() + ", key=" + key() + ", allowed=" + allowed
                + ", granted=" + granted + ", remaining=" + remaining() + ", delay=" + delay() + ", retryAfter="
                + retryAfter() + ", source=" + source + ", reason=" + reason() + ']';
    }
}
