package io.quarkiverse.ratelimit.runtime.engine;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.engine.CurrentRequest.RequestLookup;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallRules;
import io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext;
import io.quarkiverse.ratelimit.runtime.engine.limits.RuleRegistry;
import io.quarkiverse.ratelimit.runtime.engine.pauses.Pauses;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Await;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.Scoped;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.FailureLog;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/**
 * Limits calls whose cost is known only when they end, such as the tokens of a language model. Reserves an estimate before
 * the call, and settles it afterwards. Other extensions import only this class of the limiter.
 */
@Singleton
public final class EstimatedCalls {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final RuleRegistry registry;
    private final Engine engine;
    private final CodeCalls calls;
    private final RequestLookup requests;
    private final List<CostObserver> observers;
    private final FailureLog failures = new FailureLog("tokens");

    EstimatedCalls(RuleRegistry registry, Engine engine, CodeCalls calls, Instance<RequestLookup> requests,
            @Any Instance<CostObserver> observers) {
        this.registry = registry;
        this.engine = engine;
        this.calls = calls;
        this.requests = RequestLookup.of(requests);
        this.observers = observers.stream().toList();
    }

    /** Observes the costs of calls. Methods may run on any thread and must not block. */
    @FunctionalInterface
    public interface CostObserver {

        /**
         * Observes the end of a call, for one policy.
         *
         * @param estimated the cost reserved before the call
         * @param used the actual cost
         */
        void settled(String policy, long estimated, long used);
    }

    /** Returns the rules of a method; empty if none of its policies is in force. */
    public Rules rules(Class<?> type, Method method) {
        return new Rules(registry.rules(type, method).refundable(), List.of());
    }

    /** Limits the calls of one method. */
    public record Rules(CallRules rules, List<KeyArgument> keys) {

        /** Returns the id of the method. */
        public String method() {
            return rules.method().id();
        }

        public boolean areEmpty() {
            return rules.charges().isEmpty();
        }

        /** Returns the limits that count the cost, also those of overflows. */
        public List<CostLimit> costLimits() {
            boolean estimated = rules.method().parameters().cost() == CallParameters.NO_COST && rules.overflows().isEmpty();
            return Stream.concat(rules.charges().stream(), rules.overflows().values().stream().flatMap(List::stream))
                    .flatMap(charge -> charge.policy().limits().stream().filter(PolicyLimit::countsCost)
                            .map(limit -> new CostLimit(charge.policy().name(), limit.name(), limit.limit(),
                                    estimated && charge.requested().cost() == 1)))
                    .toList();
        }

        /**
         * Returns the rules for one call: at the cost of its arguments or its annotation, otherwise at the estimate.
         *
         * @param estimates by policy; one above 10<sup>9</sup> is denied
         */
        public Rules costing(Object[] arguments, ToLongFunction<String> estimates) {
            return new Rules(rules.costing(arguments, estimates), rules.keyArguments(arguments));
        }
    }

    /**
     * Limits the costs of calls.
     *
     * @param estimated whether neither an argument nor the annotation has the cost, and no overflow may pay it
     */
    public record CostLimit(String policy, String name, Limit limit, boolean estimated) {
    }

    /** Begins a call on this thread, in its request. */
    public EstimatedCall begin(Rules rules) {
        return new EstimatedCall(rules, requests.current());
    }

    /** Returns items whose subscription the scope runs, at once and on its thread. */
    public static <T> Multi<T> subscribedIn(Executor scope, Multi<T> items) {
        return Scoped.multi(items, scope);
    }

    /** Reserves and settles the cost of one call. Nothing stays reserved if the call ends before it is allowed. */
    public final class EstimatedCall {

        private final Rules rules;
        private final CurrentRequest request;
        private Outcome reserved;
        private boolean ended;

        private EstimatedCall(Rules rules, CurrentRequest request) {
            this.rules = rules;
            this.request = request;
        }

        /** Waits until the cost is reserved. Fails if the call is denied. */
        public void awaitReservation() throws Exception {
            Await.interruptibly(reservation());
        }

        /**
         * Reserves the cost, on the context of the caller. Fails if the call is denied. The response shows what is left, and
         * its status refunds nothing, because the settlement does.
         */
        public Uni<Void> reserve() {
            return CallerContext.onCallerThread(reservation())
                    .invoke(outcome -> request.apply(new Outcome(outcome.settled(0).decisions()), null)).replaceWithVoid();
        }

        private Uni<Outcome> reservation() {
            return request.callerFor(rules.rules).chain(caller -> engine.decide(rules.rules, caller, rules.keys))
                    .invoke(outcome -> {
                        RateLimitException denial = outcome.newDenial();
                        if (denial != null) {
                            throw denial;
                        }
                        outcome.lease().confirm();
                        if (!keeps(outcome)) {
                            started(calls.refunds().refund(outcome));
                        }
                    });
        }

        private synchronized boolean keeps(Outcome outcome) {
            reserved = outcome;
            return !ended;
        }

        /** Adds the outcome to the properties of a request to the called service, so that policies obey the response. */
        public synchronized void addTo(BiConsumer<String, Object> properties) {
            properties.accept(Pauses.OUTCOME, reserved);
        }

        public synchronized boolean hasEnded() {
            return ended;
        }

        /** Ends the call, and returns what it has reserved; {@code null} if it has ended before, or has reserved nothing. */
        private synchronized Outcome end() {
            Outcome first = ended ? null : reserved;
            ended = true;
            return first;
        }

        /**
         * Settles the call, once, and shows what is left on the response. If this thread is interrupted, does not wait.
         *
         * @param used cost by policy
         */
        public void awaitSettlement(ToLongFunction<String> used) throws Exception {
            try {
                request.apply(Await.interruptibly(settlement(used)), null);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /**
         * Settles the call, once, even without a subscriber. Never fails.
         *
         * @param used cost by policy
         */
        public Uni<Void> settle(ToLongFunction<String> used) {
            return settlement(used).replaceWithVoid();
        }

        private Uni<Outcome> settlement(ToLongFunction<String> used) {
            Outcome outcome = end();
            if (outcome == null) {
                return Uni.createFrom().item(Outcome.NOT_LIMITED);
            }
            List<Uni<Outcome>> settled = new ArrayList<>();
            settled.add(outcome.lease().release().replaceWith(Outcome.NOT_LIMITED));
            for (Decision decision : outcome.all()) {
                if (!decision.ownLimits().isEmpty()) {
                    settled.add(settled(decision, used.applyAsLong(decision.policy())));
                }
            }
            return started(Uni.join().all(settled).andFailFast().map(EstimatedCalls::joined).onFailure()
                    .recoverWithItem(failure -> {
                        LOG.debugf("Tokens were not settled: %s", failure.getMessage());
                        return Outcome.NOT_LIMITED;
                    }));
        }
    }

    private Uni<Outcome> settled(Decision decision, long used) {
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
}
