package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** Creates decisions about calls that no limit counts. */
public final class UncountedDecision {

    private static final Duration RETRY_WHEN_UNAVAILABLE = Duration.ofSeconds(1);

    private UncountedDecision() {
    }

    /** Allows a call without limiting it. */
    public static Decision allowed(Policy policy, String key, long cost, Source source) {
        return of(policy, key, policy.limits().get(0).limit().burst(), cost, Duration.ZERO, source, null);
    }

    /** Denies a call that cannot be charged to a caller: a part of the key is missing. */
    public static Decision withoutCaller(Policy policy, Source source) {
        return of(policy, "", 0, 0, Duration.ZERO, source, DenialReason.MISSING_KEY);
    }

    /** Allows a call, as Redis is unavailable. */
    public static Decision allowedWithoutRedis(PolicyPart part) {
        long granted = part.charge().requested.kind() == OperationKind.PEEK ? 0 : part.charge().requested.cost();
        return of(part.policy(), part.key(), 0, granted, Duration.ZERO, Source.FALLBACK, null);
    }

    /** Denies a call, as Redis is unavailable. */
    public static Decision deniedWithoutRedis(PolicyPart part) {
        return of(part.policy(), part.key(), 0, 0, RETRY_WHEN_UNAVAILABLE, Source.FALLBACK,
                DenialReason.REDIS_UNAVAILABLE);
    }

    private static Decision of(Policy policy, String key, long remaining, long granted, Duration retryAfter, Source source,
            DenialReason reason) {
        PolicyLimit first = policy.limits().get(0);
        return new Decision(policy, key, reason == null, granted, source, 0, new Details(first.name(), first.limit().burst(),
                remaining, Duration.ZERO, retryAfter, Duration.ZERO, List.of(), reason, Instant.EPOCH));
    }

    /** The decision itself, or one with the values of an implementation of the application. */
    public static Decision of(RateLimitDecision d, Policy appliedPolicy) {
        return d instanceof Decision decision ? decision
                : new Decision(appliedPolicy, d.key(), d.allowed(), d.granted(), d.source(), 0,
                        new Details(d.limit(), d.permits(), d.remaining(), d.delay(), d.retryAfter(), d.resetAfter(),
                                List.copyOf(d.limits()), d.denialReason().orElse(null), d.decidedAt()));
    }
}
