package io.quarkiverse.ratelimit.runtime.denial;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;

/**
 * Describes a denied call to its caller, independently of the protocol.
 *
 * @param retryAfter whole seconds, rounded up; {@code null} where waiting does not help
 */
public record Denial(Reason reason, Long retryAfter, String detail) {

    /** Why a call is denied, with the code of each protocol. */
    public enum Reason {

        LIMIT_REACHED(429, 8, "RATE_LIMITED", "quota-exceeded", "Quota Exceeded"),
        BLOCKED(429, 8, "RATE_LIMITED", "abnormal-usage-detected", "Abnormal Usage Detected"),
        PAUSED(429, 8, "RATE_LIMITED", "quota-exceeded", "Quota Exceeded"),
        UNAVAILABLE(503, 14, "RATE_LIMIT_UNAVAILABLE", "temporary-reduced-capacity", "Temporary Reduced Capacity");

        public final int httpStatus;
        /** The number of the gRPC status. */
        public final int grpcStatus;
        /** A name for protocols whose errors have names, such as GraphQL. */
        public final String code;
        /** The URI of the problem type (RFC 9457). */
        public final String problemType;
        public final String title;

        Reason(int httpStatus, int grpcStatus, String code, String problemType, String title) {
            this.httpStatus = httpStatus;
            this.grpcStatus = grpcStatus;
            this.code = code;
            this.problemType = "https://iana.org/assignments/http-problem-types#" + problemType;
            this.title = title;
        }
    }

    public static Denial of(RateLimitException denial) {
        RateLimitDecision decision = denial.decision();
        Reason reason = denial instanceof RateLimitUnavailableException ? Reason.UNAVAILABLE
                : switch (decision.denialReason().orElse(DenialReason.LIMIT_REACHED)) {
                    case BLOCKED -> Reason.BLOCKED;
                    case PAUSED -> Reason.PAUSED;
                    case LIMIT_REACHED, COST_ABOVE_CAPACITY, MISSING_KEY, REDIS_UNAVAILABLE -> Reason.LIMIT_REACHED;
                };
        return new Denial(reason, decision.neverAllowed() ? null : decision.retryAfterSeconds(), detail(reason, decision));
    }

    /** The denial that failed a call, also inside the exceptions of futures; {@code null} for any other failure. */
    public static RateLimitException in(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException || cause instanceof ExecutionException) {
            cause = cause.getCause();
        }
        return cause instanceof RateLimitException denial ? denial : null;
    }

    private static String detail(Reason reason, RateLimitDecision decision) {
        String policy = decision.policy();
        String retry = " Retry after " + decision.retryAfterSeconds() + " s.";
        return switch (reason) {
            case UNAVAILABLE -> "Policy " + policy + " cannot be decided at the moment.";
            case BLOCKED -> "Policy " + policy + " has blocked the caller." + retry;
            case PAUSED -> "Policy " + policy + " pauses, as the called service asks for it." + retry;
            case LIMIT_REACHED -> !decision.neverAllowed() ? "Policy " + policy + " is used up." + retry
                    : decision.limits().isEmpty() ? "Policy " + policy + " cannot identify the caller."
                            : "The request costs more than policy " + policy + " can ever allow.";
        };
    }
}
