package io.quarkiverse.ratelimit.runtime.engine;

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.engine.InTurn.Part;
import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.UniSubscriber;

/** Decides one call: refuses what Redis has just refused, else asks Redis, else falls back. */
final class Decider {

    private final LimitStore redis;
    private final Fallback fallback;
    private final Leases leases;
    private final Denials denials;
    private final GivingBack givingBack;
    /** Begins anywhere, so that no two instances give the same ids. */
    private final AtomicLong ids = new AtomicLong(new SecureRandom().nextLong());
    /** The last refusal, as calls that were asked as one are refused by the same numbers; whichever thread's it is. */
    private Refusal last = new Refusal(null, null, null);

    Decider(LimitStore redis, LocalStore local, Leases leases, GivingBack givingBack, Denials denials) {
        this.givingBack = givingBack;
        this.denials = denials;
        this.redis = redis;
        this.fallback = new Fallback(local, leases);
        this.leases = leases;
    }

    /** Decides once per subscription, without blocking, in a bounded time; never fails. */
    Uni<Outcome> decide(List<Asked> asked) {
        return decide(asked, LongUnaryOperator.identity());
    }

    /**
     * Decides a call about which something else had to be found out first, in the time that is left.
     *
     * @param began when that was begun, by {@link System#nanoTime}
     */
    Uni<Outcome> decideSince(long began, List<Asked> asked) {
        return decide(asked, now -> began);
    }

    /** @param began when the call was begun, where it is now so late */
    private Uni<Outcome> decide(List<Asked> asked, LongUnaryOperator began) {
        return asked.size() == 1 || redis.decidesTogether() ? new Deciding(asked, began)
                : Uni.createFrom().deferred(
                        () -> new InTurn(this, givingBack, began.applyAsLong(System.nanoTime())).decide(asked));
    }

    /**
     * Decides a part of a call.
     *
     * @param began when its first part was asked, by {@link System#nanoTime}
     */
    Uni<Part> decide(List<Asked> asked, long began) {
        long id = ids.incrementAndGet();
        Question question = question(asked, id);
        return redis.decide(question, began)
                .map(reply -> new Part(Decisions.of(asked, question, reply, id, Source.REDIS, leases),
                        () -> Decisions.uncharged(asked, reply, id, Source.REDIS, leases)))
                .onFailure()
                .recoverWithItem(failure -> {
                    Outcome outcome = fallBack(asked, id, failure);
                    return new Part(outcome, () -> outcome);
                });
    }

    private Outcome fallBack(List<Asked> asked, long id, Throwable failure) {
        if (failure instanceof RedisStoreException away && away.isUnheard()) {
            leases.abandon(asked, id);
        }
        return fallback.decide(asked, id);
    }

    static Question question(List<Asked> asked, long id) {
        Asked first = asked.get(0);
        boolean leveled = first.charge().call().manner() == Manner.UP_TO;
        if (asked.size() == 1) {
            return new Question(List.of(first.charge().ask(first.caller(), id)), leveled);
        }
        List<Ask> asks = new ArrayList<>(asked.size());
        for (Asked one : asked) {
            asks.add(one.charge().ask(one.caller(), id));
        }
        return new Question(asks, leveled);
    }

    /** By far the commonest: one question decides the call. One operator in place of several of Mutiny's, as each costs. */
    private final class Deciding extends AbstractUni<Outcome> {

        private final List<Asked> asked;
        private final LongUnaryOperator began;

        Deciding(List<Asked> asked, LongUnaryOperator began) {
            this.asked = asked;
            this.began = began;
        }

        @Override
        public void subscribe(UniSubscriber<? super Outcome> caller) {
            Asked deniable = Denials.only(asked);
            Outcome denied = deniable == null ? null : denials.refusing(deniable);
            if (denied != null) {
                AbstractUni.subscribe(Uni.createFrom().item(denied), caller);
            } else {
                Answer answer = new Answer(asked, deniable, caller);
                AbstractUni.subscribe(redis.decide(answer.question, began.applyAsLong(answer.sent)), answer);
            }
        }
    }

    private final class Answer extends UniOperatorProcessor<long[], Outcome> {

        private final List<Asked> asked;
        private final Asked deniable;
        private final long id = ids.incrementAndGet();
        private final Question question;
        private final long sent, changes;

        Answer(List<Asked> asked, Asked deniable, UniSubscriber<? super Outcome> caller) {
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
            Refusal same = last;
            if (same.reply == reply && same.charge == asked.get(0).charge()) {
                return same.outcome;
            }
            Outcome outcome = Decisions.of(asked, question, reply, id, Source.REDIS, leases);
            if (deniable == null) {
                denials.charged(asked);
            } else {
                denials.answered(deniable, outcome, sent, changes);
            }
            if (outcome.isRefused() && asked.size() == 1) {
                last = new Refusal(reply, asked.get(0).charge(), outcome);
            }
            return outcome;
        }

        /** Falls back, which takes no time. */
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

    private record Refusal(long[] reply, Charge charge, Outcome outcome) {
    }
}
