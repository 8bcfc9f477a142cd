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
 * @param reason why the call is denied
 * @param retryAfter whole seconds, rounded up; {@code null} where waiting does not help
 * @param detail the reason in one line
 */
public record Denial(Reason reason, Long retryAfter, String detail) {

    /** Why a call is denied, with the code of each protocol. */
    public enum Reason {

        LIMIT_REACHED(429, 8, "RATE_LIMITED"),
        UNAVAILABLE(503, 14, "RATE_LIMIT_UNAVAILABLE");

        private final int httpStatus;
        private final int grpcStatus;
        private final String code;

        Reason(int httpStatus, int grpcStatus, String code) {
            this.httpStatus = httpStatus;
            this.grpcStatus = grpcStatus;
            this.code = code;
        }

        public int httpStatus() {
            return httpStatus;
        }

        /** The number of the gRPC status. */
        public int grpcStatus() {
            return grpcStatus;
        }

        /** A name for protocols whose errors have names, such as GraphQL. */
        public String code() {
            return code;
        }
    }

    public static Denial of(RateLimitException denial) {
        RateLimitDecision decision = denial.decision();
        Reason reason = denial instanceof RateLimitUnavailableException ? Reason.UNAVAILABLE : Reason.LIMIT_REACHED;
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
        if (reason == Reason.UNAVAILABLE) {
            return "Policy " + decision.policy() + " cannot be decided at the moment.";
        }
        if (decision.denialReason().filter(DenialReason.BLOCKED::equals).isPresent()) {
            return "Policy " + decision.policy() + " has blocked the caller. Retry after " + decision.retryAfterSeconds()
                    + " s.";
        }
        if (!decision.neverAllowed()) {
            return "Policy " + decision.policy() + " is used up. Retry after " + decision.retryAfterSeconds() + " s.";
        }
        return decision.limits().isEmpty()
                ? "Policy " + decision.policy() + " cannot identify the caller."
                : "The request costs more than policy " + decision.policy() + " can ever allow.";
    }
}
