package io.quarkiverse.ratelimit.runtime.engine;

import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.engine.Denials.Moment;
import io.quarkiverse.ratelimit.runtime.engine.InTurn.Part;
import io.quarkiverse.ratelimit.runtime.redis.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Undecorated;
import io.smallrye.mutiny.Uni;

/** Decides one call: refuses what Redis has just refused, else asks Redis, else falls back. */
final class Decider {

    private final LimitStore redis;
    private final Fallback fallback;
    private final Leases leases;
    private final Denials denials;
    private final GivingBack givingBack;
    /** Begins anywhere, so that no two instances give the same ids. */
    private final AtomicLong ids = new AtomicLong(new SecureRandom().nextLong());

    Decider(LimitStore redis, LimitStore local, Leases leases, GivingBack givingBack, Denials denials) {
        this.givingBack = givingBack;
        this.denials = denials;
        this.redis = redis;
        this.fallback = new Fallback(local, leases);
        this.leases = leases;
    }

    /** Decides once per subscription, without blocking, in a bounded time; never fails. */
    Uni<Outcome> decide(List<Asked> asked) {
        return decide(asked, redis::decide, System::nanoTime);
    }

    /**
     * Decides a call about which something else had to be found out first, in the time that is left.
     *
     * @param began when that was begun, by {@link System#nanoTime}
     */
    Uni<Outcome> decideSince(long began, List<Asked> asked) {
        return decide(asked, question -> redis.decide(question, began), () -> began);
    }

    private Uni<Outcome> decide(List<Asked> asked, Function<Question, Uni<long[]>> answer, LongSupplier began) {
        if (asked.size() > 1 && !redis.decidesTogether()) {
            return Uni.createFrom().deferred(() -> new InTurn(this, givingBack, began.getAsLong()).decide(asked));
        }
        return Undecorated.deferred(() -> {
            Asked deniable = Denials.only(asked);
            Outcome denied = deniable == null ? null : denials.refusing(deniable);
            if (denied != null) {
                return Uni.createFrom().item(denied);
            }
            long id = ids.incrementAndGet();
            Question question = question(asked, id);
            Moment sent = deniable == null ? null : denials.now();
            Uni<Outcome> decision = Undecorated.map(answer.apply(question), reply -> {
                Outcome outcome = Decisions.of(asked, question, reply, id, Source.REDIS, leases);
                if (deniable == null) {
                    denials.charged(asked);
                } else {
                    denials.answered(deniable, outcome, sent);
                }
                return outcome;
            });
            return Undecorated.recover(decision, failure -> fallBack(asked, id, failure));
        });
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
                .recoverWithUni(failure -> fallBack(asked, id, failure).map(outcome -> new Part(outcome, () -> outcome)));
    }

    private Uni<Outcome> fallBack(List<Asked> asked, long id, Throwable failure) {
        if (failure instanceof RedisStoreException away && away.isUnheard()) {
            leases.abandon(asked, id);
        }
        return fallback.decide(asked, id);
    }

    static Question question(List<Asked> asked, long id) {
        Ask[] asks = new Ask[asked.size()];
        for (int i = 0; i < asks.length; i++) {
            asks[i] = asked.get(i).charge().ask(asked.get(i).caller(), id);
        }
        return new Question(List.of(asks), asked.get(0).charge().call().manner() == Manner.UP_TO);
    }
}
