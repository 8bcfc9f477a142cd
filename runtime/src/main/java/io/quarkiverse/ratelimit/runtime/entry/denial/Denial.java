package io.quarkiverse.ratelimit.runtime.entry.denial;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.platform.Waits;

/**
 * Describes a denied call to its caller, independently of the protocol.
 *
 * @param jitter time that the caller waits longer than it has to
 * @param retryAfter whole seconds, rounded up; {@code null} where waiting does not help
 */
public record Denial(Reason reason, Duration jitter, Long retryAfter, String detail) {

    /** Gives the reason of a denial its code in each protocol. */
    public enum Reason {

        LIMIT_REACHED(429, 8, "RATE_LIMITED", "quota-exceeded", "Quota Exceeded"),
        BLOCKED(429, 8, "RATE_LIMITED", "abnormal-usage-detected", "Abnormal Usage Detected"),
        PAUSED(429, 8, "RATE_LIMITED", "quota-exceeded", "Quota Exceeded"),
        UNAVAILABLE(503, 14, "RATE_LIMIT_UNAVAILABLE", "temporary-reduced-capacity", "Temporary Reduced Capacity");

        public final int httpStatus;
        /** Number of the gRPC status. */
        public final int grpcStatus;
        /** Name for protocols whose errors have names, such as GraphQL. */
        public final String code;
        /** URI of the problem type (RFC 9457). */
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

    /** Describes a denial, with a random time of its own. So it is called once for a response. */
    public static Denial of(RateLimitException denial) {
        RateLimitDecision decision = denial.decision();
        Reason reason = denial instanceof RateLimitUnavailableException ? Reason.UNAVAILABLE
                : switch (decision.denialReason().orElse(DenialReason.LIMIT_REACHED)) {
                    case BLOCKED -> Reason.BLOCKED;
                    case PAUSED -> Reason.PAUSED;
                    case LIMIT_REACHED, COST_ABOVE_CAPACITY, MISSING_KEY, REDIS_UNAVAILABLE -> Reason.LIMIT_REACHED;
                };
        boolean waits = !decision.neverAllowed();
        Duration jitter = waits && reason != Reason.UNAVAILABLE && decision instanceof Decision made ? made.randomJitter()
                : Duration.ZERO;
        Duration wait = decision.retryAfter().plus(jitter);
        long seconds = Math.max(1, wait.plusNanos(999_999_999).toSeconds());
        return new Denial(reason, jitter, waits ? seconds : null, detail(reason, decision, wait));
    }

    /** Returns the denial that failed a call, also inside the exceptions of futures; {@code null} for any other failure. */
    public static RateLimitException in(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException || cause instanceof ExecutionException) {
            cause = cause.getCause();
        }
        return cause instanceof RateLimitException denial ? denial : null;
    }

    private static String detail(Reason reason, RateLimitDecision decision, Duration wait) {
        String policy = decision.policy();
        String retry = " Retry after " + Waits.inWords(wait) + ".";
        return switch (reason) {
            case UNAVAILABLE -> "Policy " + policy + " cannot be decided at the moment.";
            case BLOCKED -> "Policy " + policy + " has blocked the caller." + retry;
            case PAUSED -> "Policy " + policy + " is paused." + retry;
            case LIMIT_REACHED -> !decision.neverAllowed() ? "Policy " + policy + " is used up." + retry
                    : decision.limits().isEmpty() ? "Policy " + policy + " cannot identify the caller."
                            : "The request costs more than policy " + policy + " can ever allow.";
        };
    }
}
