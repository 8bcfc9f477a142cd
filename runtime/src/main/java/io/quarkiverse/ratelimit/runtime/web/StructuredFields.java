package io.quarkiverse.ratelimit.runtime.web;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.vertx.core.http.HttpHeaders;

/** Composes the values of {@code RateLimit-Policy}, of which it keeps the last for each policy, and of {@code RateLimit}. */
final class StructuredFields {

    private static final long SECOND = 1_000_000;
    private static final int USUAL_LENGTH = 64;

    /** The last text per policy, by its name. Not for calendar windows, whose text depends on the time. */
    private final Map<String, Text> texts = new ConcurrentHashMap<>();

    CharSequence policies(List<Decision> decisions) {
        if (decisions.size() == 1) {
            return policy(decisions.get(0));
        }
        StringBuilder policies = new StringBuilder(USUAL_LENGTH);
        for (Decision decision : decisions) {
            if (!decision.limits().isEmpty()) {
                policies.append(policies.isEmpty() ? "" : ", ").append(policy(decision));
            }
        }
        return policies.toString();
    }

    private CharSequence policy(Decision decision) {
        Policy policy = decision.appliedPolicy();
        Text text = texts.get(policy.name());
        if (text == null || !text.isOf(decision.limits())) {
            text = new Text(decision.limits().stream().map(LimitState::definition).toList(),
                    HttpHeaders.createOptimized(compose(decision)));
            if (policy.limits().stream().allMatch(limit -> limit.limit().calendar() == null)) {
                texts.put(policy.name(), text);
            }
        }
        return text.encoded;
    }

    private static String compose(Decision decision) {
        StringBuilder text = new StringBuilder(USUAL_LENGTH);
        Policy policy = decision.appliedPolicy();
        Instant at = decision.decidedAt();
        long decidedAt = at.getEpochSecond() * SECOND + at.getNano() / 1_000;
        for (LimitState state : decision.limits()) {
            appendName(text, policy, state.limit()).append(";q=").append(state.permits());
            LimitRule rule = PolicyLimit.ruleOf(state.definition());
            if (rule.holdsPermits()) {
                text.append(";qu=\"concurrent-requests\"");
            }
            long window = rule.fillTime(decidedAt);
            if (window > 0 && window % SECOND == 0) {
                text.append(";w=").append(window / SECOND);
            }
        }
        return text.toString();
    }

    String states(List<Decision> decisions) {
        StringBuilder states = new StringBuilder(USUAL_LENGTH);
        for (Decision decision : decisions) {
            for (LimitState state : decision.limits()) {
                appendName(states, decision.appliedPolicy(), state.limit()).append(";r=").append(state.remaining());
                if (!state.nextPermitAfter().isZero()) {
                    states.append(";t=").append(secondsUntilMore(state));
                }
            }
        }
        return states.toString();
    }

    /**
     * The time until the caller can be allowed, rounded up. This may be before the next permit, as the call may be delayed.
     */
    private static long secondsUntilMore(LimitState state) {
        boolean sooner = !state.retryAfter().isZero() && state.retryAfter().compareTo(state.nextPermitAfter()) < 0;
        return (sooner ? state.retryAfter() : state.nextPermitAfter()).plusNanos(999_999_999).getSeconds();
    }

    private static StringBuilder appendName(StringBuilder list, Policy policy, String limit) {
        return list.append(list.isEmpty() ? "\"" : ", \"").append(memberName(policy, limit)).append('"');
    }

    /**
     * The name of a limit in headers and bodies: its policy's name, followed by its own name where the policy has
     * several limits.
     */
    static String memberName(Policy policy, String limit) {
        List<PolicyLimit> limits = policy.limits();
        return limits.size() == 1 ? policy.name() : policy.name() + "." + limit;
    }

    /** @param encoded in advance */
    private record Text(List<Limit> limits, CharSequence encoded) {

        boolean isOf(List<LimitState> states) {
            for (int i = 0; i < states.size(); i++) {
                if (i == limits.size() || !Objects.equals(limits.get(i), states.get(i).definition())) {
                    return false;
                }
            }
            return states.size() == limits.size();
        }
    }
}
