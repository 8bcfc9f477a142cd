package io.quarkiverse.ratelimit.runtime.operate.observe;

import java.util.Optional;

import jakarta.inject.Singleton;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Adds the decision about a call to the span in which the call starts. If several policies decide a call, the span has the
 * denial with the longest wait, or without a denial the decision with the fewest permits left. If an overflow allows a call,
 * the span has the overflow's decision.
 */
@Singleton
public class DecisionSpans implements DecisionObserver.OfCalls {

    private static final AttributeKey<String> POLICY = AttributeKey.stringKey("rate_limit.policy");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("rate_limit.outcome");
    private static final AttributeKey<String> SOURCE = AttributeKey.stringKey("rate_limit.source");
    private static final AttributeKey<String> DENIAL_REASON = AttributeKey.stringKey("rate_limit.denial_reason");
    private static final AttributeKey<Long> REMAINING = AttributeKey.longKey("rate_limit.remaining");
    private static final AttributeKey<Double> RETRY_AFTER = AttributeKey.doubleKey("rate_limit.retry_after");

    @Override
    public DecisionObserver ofThisCall() {
        Span span = Span.current();
        return span.isRecording() ? new OfSpan(span) : this;
    }

    @Override
    public void decided(String policy, Effect effect, RateLimitDecision decision) {
        // where no span is recorded
    }

    private static final class OfSpan implements DecisionObserver {

        private final Span span;
        private Effect effect;
        private RateLimitDecision decision;

        OfSpan(Span span) {
            this.span = span;
        }

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            if (effect != Effect.OVERFLOW && (this.effect == null || isMoreImportant(effect, decision))) {
                this.effect = effect;
                this.decision = decision;
                write(policy);
            }
        }

        private boolean isMoreImportant(Effect effect, RateLimitDecision decision) {
            if (effect != this.effect || decision == null) {
                return effect.compareTo(this.effect) > 0;
            }
            if (effect == Effect.ALLOWED) {
                return decision.remaining() < this.decision.remaining();
            }
            return !this.decision.neverAllowed()
                    && (decision.neverAllowed() || decision.retryAfter().compareTo(this.decision.retryAfter()) > 0);
        }

        /** Overwrites the attributes that an earlier call in the same span may have set. */
        private void write(String policy) {
            Source source = decision == null ? Source.NOT_LIMITED : decision.source();
            span.setAttribute(POLICY, policy);
            span.setAttribute(OUTCOME, effect.text());
            span.setAttribute(SOURCE, Policy.written(source));
            span.setAttribute(DENIAL_REASON, Optional.ofNullable(decision).flatMap(RateLimitDecision::denialReason)
                    .map(Policy::written).orElse("none"));
            span.setAttribute(RETRY_AFTER, decision == null ? 0 : decision.retryAfter().toNanos() / 1e9);
            if (decision != null) {
                span.setAttribute(REMAINING, decision.remaining());
            }
        }
    }
}
