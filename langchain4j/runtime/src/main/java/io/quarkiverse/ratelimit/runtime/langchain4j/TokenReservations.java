package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest;
import io.quarkiverse.ratelimit.runtime.engine.Engine;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.FailureLog;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.smallrye.mutiny.Uni;

/** Reserves the tokens of a call, and settles them when it ends. */
@Singleton
public class TokenReservations {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final Engine engine;
    private final Refunds refunds;
    private final CodeCalls calls;
    private final List<TokenObserver> observers;
    private final FailureLog failures = new FailureLog("tokens");

    TokenReservations(Engine engine, Refunds refunds, CodeCalls calls, @Any Instance<TokenObserver> observers) {
        this.engine = engine;
        this.refunds = refunds;
        this.calls = calls;
        this.observers = observers.stream().toList();
    }

    /** Reserves the estimate. Nothing stays reserved if the subscriber cancels before the call is allowed. */
    Uni<Outcome> reserve(CallRules rules, Object[] keys, CurrentRequest request, TokenCall tokens) {
        return request.callerFor(rules).chain(caller -> engine.decide(rules, caller, keys))
                .invoke(outcome -> {
                    RateLimitException denial = outcome.newDenial();
                    if (denial != null) {
                        throw denial;
                    }
                    outcome.lease().confirm();
                    if (!tokens.reserved(outcome)) {
                        started(refunds.refund(outcome));
                    }
                });
    }

    /** Settles what the call has reserved, once. Returns the states of the limits afterwards. Never fails. */
    Uni<Outcome> end(TokenCall tokens, boolean failed) {
        Outcome reserved = tokens.end();
        if (reserved == null) {
            return Uni.createFrom().item(Outcome.NOT_LIMITED);
        }
        long used = tokens.used(failed);
        List<Uni<Outcome>> settled = new ArrayList<>();
        settled.add(reserved.lease().release().replaceWith(Outcome.NOT_LIMITED));
        for (Decision decision : reserved.all()) {
            if (!decision.limits().isEmpty()) {
                settled.add(settle(decision, used));
            }
        }
        return started(Uni.join().all(settled).andFailFast().map(TokenReservations::joined).onFailure()
                .recoverWithItem(failure -> {
                    LOG.debugf("Tokens were not settled: %s", failure.getMessage());
                    return Outcome.NOT_LIMITED;
                }));
    }

    private Uni<Outcome> settle(Decision decision, long used) {
        failures.notify(observers, observer -> observer.settled(decision.policy(), decision.granted(), used));
        Uni<Outcome> settled = calls.settle(decision, used);
        // a charge returns the states of the limits that count the cost only
        return used > decision.granted() ? settled.chain(() -> calls.peek(decision)) : settled;
    }

    private static Outcome joined(List<Outcome> outcomes) {
        return new Outcome(outcomes.stream().flatMap(outcome -> outcome.decisions().stream()).toList());
    }

    /** Starts the work, and completes it even if every subscriber cancels. */
    private static <T> Uni<T> started(Uni<T> work) {
        Uni<T> once = work.memoize().indefinitely();
        once.subscribeAsCompletionStage();
        return once;
    }

    /** Observes the tokens of language models. Methods may run on any thread and must not block. */
    @FunctionalInterface
    public interface TokenObserver {

        /**
         * @param estimated the tokens reserved before the call
         * @param used the tokens used by the call
         */
        void settled(String policy, long estimated, long used);
    }

    /** Counts the tokens of language models by policy, if the application has Micrometer. */
    @Singleton
    public static class TokenMeters implements TokenObserver {

        private final MeterProvider<Counter> tokens;

        TokenMeters(MeterRegistry registry) {
            this.tokens = Counter.builder("rate.limit.tokens").description("Tokens of language models").withRegistry(registry);
        }

        @Override
        public void settled(String policy, long estimated, long used) {
            tokens.withTags("policy", policy, "kind", "estimated").increment(estimated);
            tokens.withTags("policy", policy, "kind", "used").increment(used);
        }
    }
}
