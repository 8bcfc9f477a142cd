package io.quarkiverse.ratelimit.runtime.engine;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.SequentialDecider.Part;
import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Decides a call: by the denial cache, else in Redis, else by the fallback. */
final class Decider {

    private final LimitStore redis;
    private final Fallback fallback;
    private final LeaseRenewal leases;
    private final DenialCache denials;
    private final Refunds refunds;
    /** Starts at a random number, so that instances do not use the same ids. */
    private final AtomicLong ids = new AtomicLong(new SecureRandom().nextLong());
    /** The last denial. Merged calls share a reply, so they share its outcome. Any thread may replace it. */
    private Denial last = new Denial(null, null, null);

    Decider(LimitStore redis, LocalStore local, LeaseRenewal leases, Refunds refunds, DenialCache denials) {
        this.refunds = refunds;
        this.denials = denials;
        this.redis = redis;
        this.fallback = new Fallback(local, leases);
        this.leases = leases;
    }

    /** Decides once per subscription, without blocking and within a bounded time; never fails. */
    Uni<Outcome> decide(List<KeyedCharge> asked) {
        return decide(asked, LongUnaryOperator.identity());
    }

    /**
     * Decides a call in the time that is left after other work for it, such as resolver beans.
     *
     * @param began when that work began, by {@link System#nanoTime}
     */
    Uni<Outcome> decideSince(long began, List<KeyedCharge> asked) {
        return decide(asked, now -> began);
    }

    /** @param began returns when the call began, given the current time */
    private Uni<Outcome> decide(List<KeyedCharge> asked, LongUnaryOperator began) {
        return asked.size() == 1 || redis.decidesTogether() ? new Deciding(asked, began)
                : Uni.createFrom().deferred(
                        () -> new SequentialDecider(this, refunds, began.applyAsLong(System.nanoTime())).decide(asked));
    }

    /**
     * Decides a part of a call.
     *
     * @param began when the decision of its first part began, by {@link System#nanoTime}
     */
    Uni<Part> decide(List<KeyedCharge> asked, long began) {
        long id = ids.incrementAndGet();
        StoreRequest question = question(asked, id);
        return redis.decide(question, began)
                .map(reply -> new Part(DecisionFactory.of(asked, question, reply, id, Source.REDIS, leases),
                        () -> DecisionFactory.uncharged(asked, reply, id, Source.REDIS, leases)))
                .onFailure()
                .recoverWithItem(failure -> {
                    Outcome outcome = fallBack(asked, id, failure);
                    return new Part(outcome, () -> outcome);
                });
    }

    private Outcome fallBack(List<KeyedCharge> asked, long id, Throwable failure) {
        if (failure instanceof RedisStoreException unavailable && unavailable.isUnheard()) {
            leases.abandon(asked, id);
        }
        return fallback.decide(asked, id);
    }

    static StoreRequest question(List<KeyedCharge> asked, long id) {
        KeyedCharge first = asked.get(0);
        boolean leveled = first.charge().call().manner() == OperationKind.UP_TO;
        if (asked.size() == 1) {
            return new StoreRequest(List.of(first.charge().ask(first.caller(), id)), leveled);
        }
        List<PolicyRequest> asks = new ArrayList<>(asked.size());
        for (KeyedCharge one : asked) {
            asks.add(one.charge().ask(one.caller(), id));
        }
        return new StoreRequest(asks, leveled);
    }

    /**
     * The most common case: one request decides the call. One operator replaces several of Mutiny's, as each costs
     * time.
     */
    private final class Deciding extends AbstractUni<Outcome> {

        private final List<KeyedCharge> asked;
        private final LongUnaryOperator began;

        Deciding(List<KeyedCharge> asked, LongUnaryOperator began) {
            this.asked = asked;
            this.began = began;
        }

        @Override
        public void subscribe(UniSubscriber<? super Outcome> caller) {
            KeyedCharge deniable = DenialCache.only(asked);
            Outcome denied = deniable == null ? null : denials.denying(deniable);
            if (denied != null) {
                AbstractUni.subscribe(Uni.createFrom().item(denied), caller);
            } else {
                PlaygroundReply answer = new PlaygroundReply(asked, deniable, caller);
                AbstractUni.subscribe(redis.decide(answer.question, began.applyAsLong(answer.sent)), answer);
            }
        }
    }

    private final class PlaygroundReply extends UniOperatorProcessor<long[], Outcome> {

        private final List<KeyedCharge> asked;
        private final KeyedCharge deniable;
        private final long id = ids.incrementAndGet();
        private final StoreRequest question;
        private final long sent, changes;

        PlaygroundReply(List<KeyedCharge> asked, KeyedCharge deniable, UniSubscriber<? super Outcome> caller) {
            super(caller);
            this.asked = asked;
            this.deniable = deniable;
            this.question = question(asked, id);
            this.sent = denials.now();
            this.changes = denials.changes();
        }

        @Override
        public void onItem(long[] reply) {
            if (isCancelled()) {
                return;
            }
            Outcome outcome;
            try {
                outcome = outcome(reply);
            } catch (RuntimeException e) {
                onFailure(e);
                return;
            }
            downstream.onItem(outcome);
        }

        private Outcome outcome(long[] reply) {
            Denial same = last;
            if (same.reply == reply && same.charge == asked.get(0).charge()) {
                return same.outcome;
            }
            Outcome outcome = DecisionFactory.of(asked, question, reply, id, Source.REDIS, leases);
            if (deniable == null) {
                denials.charged(asked);
            } else {
                denials.answered(deniable, outcome, sent, changes);
            }
            if (outcome.isDenied() && asked.size() == 1) {
                last = new Denial(reply, asked.get(0).charge(), outcome);
            }
            return outcome;
        }

        /** Decides by the fallback, which does not wait. */
        @Override
        public void onFailure(Throwable failure) {
            if (isCancelled()) {
                return;
            }
            Outcome outcome;
            try {
                outcome = fallBack(asked, id, failure);
            } catch (RuntimeException e) {
                downstream.onFailure(e);
                return;
            }
            downstream.onItem(outcome);
        }
    }

    private record Denial(long[] reply, Charge charge, Outcome outcome) {
    }
}
