package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiFunction;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Once;
import io.quarkiverse.ratelimit.runtime.engine.Outcome.Decided;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Step;
import io.smallrye.mutiny.Uni;

/**
 * Gives back what decisions took, where they took it, once for each decision however often it is asked to. This instance
 * remembers a decision for as long as anybody has it, Redis for as long as its refund may be repeated as the answer was lost.
 */
final class GivingBack {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    /** For how long one is tried again that Redis has not answered. */
    private static final Duration TRIED = Duration.ofMinutes(1);
    /** Longer, as the last try may arrive late. */
    private static final Duration REMEMBERED = TRIED.multipliedBy(2);
    /** No limit has such a name. */
    private static final String MARKERS = "refunds:ids";
    /** How many give-backs may be tried again at the same time. */
    private static final int MAX_TRIES = 10_000;

    private final LimitStore redis;
    private final LimitStore local;
    private final Denials denials;
    private final Places tries = new Places(MAX_TRIES);
    private final Set<RateLimitDecision> refunded = Collections
            .synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    private volatile boolean givenUp;

    GivingBack(LimitStore redis, LimitStore local, Denials denials) {
        this.denials = denials;
        this.redis = redis;
        this.local = local;
    }

    /**
     * Gives back so many of the permits that a decision took. Completes when the store has answered or was tried once;
     * after that it is tried again in the background as long as it matters. What runs at the same time is given back with its
     * lease instead.
     */
    Uni<Void> giveBack(RateLimitDecision decision, long count) {
        return giveBack(decision, count, LimitStore::decide);
    }

    private Uni<Void> giveBack(RateLimitDecision decision, long count, BiFunction<LimitStore, Question, Uni<long[]>> ask) {
        if (decision.granted() == 0 || !refunded.add(decision) || count <= 0) {
            return Uni.createFrom().voidItem();
        }
        Question question = question(decision, count);
        if (question.asks().get(0).steps().size() == 1) {
            return Uni.createFrom().voidItem();
        }
        LimitStore store = decision.source() == Source.FALLBACK ? local : redis;
        return ask.apply(store, question).replaceWithVoid()
                .invoke(() -> denials.forget(decision.policy(), decision.key()))
                .onFailure().recoverWithUni(failure -> {
                    tryAgain(store, question, decision);
                    return Uni.createFrom().voidItem();
                });
    }

    /** Gives back all that a call took, and what it holds. */
    Uni<Void> giveBack(Outcome outcome) {
        return Uni.join().all(outcome.lease().release(), giveBack(outcome, LimitStore::decide)).andCollectFailures()
                .replaceWithVoid();
    }

    /**
     * Does the same for a call that is refused in the end; completes while there is time to decide it.
     *
     * @param began when its first part was asked, by {@link System#nanoTime}
     */
    Uni<Void> giveBack(Outcome outcome, long began) {
        outcome.lease().release();
        return giveBack(outcome, (store, question) -> store.decide(question, began));
    }

    private Uni<Void> giveBack(Outcome outcome, BiFunction<LimitStore, Question, Uni<long[]>> ask) {
        List<Uni<Void>> all = new ArrayList<>();
        all.add(Uni.createFrom().voidItem());
        for (Decided decided : outcome.all()) {
            all.add(giveBack(decided.decision(), decided.decision().granted(), ask));
        }
        return Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    private void tryAgain(LimitStore store, Question question, RateLimitDecision decision) {
        long matters = Math.min(decision.resetAfter().toMillis(), TRIED.toMillis());
        if (matters > FIRST_PAUSE.toMillis() && tries.take()) {
            store.decide(question).onFailure(failure -> !givenUp).retry().withBackOff(FIRST_PAUSE, LONGEST_PAUSE)
                    .expireIn(matters)
                    .onTermination().invoke(() -> {
                        tries.leave();
                        denials.forget(decision.policy(), decision.key());
                    }).subscribe().with(ignored -> {
                    }, failure -> LOG.debugf("Permits of policy %s were not given back: %s", decision.policy(),
                            failure.getMessage()));
        }
    }

    /** Tries nothing again from now on. */
    void giveUp() {
        givenUp = true;
    }

    private static Question question(RateLimitDecision decision, long count) {
        long at = ChronoUnit.MICROS.between(Instant.EPOCH, decision.decidedAt());
        List<Step> steps = new ArrayList<>(1 + decision.limits().size());
        steps.add(new Step(MARKERS, new Once(decision.id(), REMEMBERED)));
        for (LimitState taken : decision.limits()) {
            if (taken.numbers().algorithm() != Algorithm.CONCURRENCY) {
                steps.add(new Step(taken.limit(),
                        LimitRule.of(taken.numbers()).giveBack(taken, at, count, decision.id())));
            }
        }
        return new Question(List.of(new Ask(decision.policy(), false, decision.key(), steps)));
    }
}
