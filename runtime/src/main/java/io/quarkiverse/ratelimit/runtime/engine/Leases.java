package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.Act;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Step;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/**
 * Keeps the permits of calls that run: renews them thrice in their lease time, so that only those of a crashed instance
 * come back by themselves, and gives them back when the call ends, again and again until the store has answered.
 */
final class Leases {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
    /** How many calls that were not answered may be given back at the same time. */
    private static final int MAX_ABANDONED = 10_000;

    private final Vertx vertx;
    private final LimitStore redis;
    private final LimitStore local;
    private final Places abandoned = new Places(MAX_ABANDONED);
    private final Set<Held> held = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped, givenUp;

    Leases(Vertx vertx, LimitStore redis, LimitStore local) {
        this.vertx = vertx;
        this.redis = redis;
        this.local = local;
    }

    /** The permits that a call holds which has just been charged for all of this. */
    Lease hold(List<Asked> charged, long id, Source source) {
        List<Asked> leased = leased(charged);
        if (leased.isEmpty()) {
            return Lease.NONE;
        }
        Held fresh = new Held(leased, id, source == Source.REDIS ? redis : local);
        held.add(fresh);
        if (stopped) {
            fresh.release();
        }
        return fresh;
    }

    /** Gives back what a call may hold in Redis that was asked for and not answered. */
    void abandon(List<Asked> asked, long id) {
        List<Asked> leased = leased(asked);
        if (!leased.isEmpty() && abandoned.take()) {
            giveBack(redis, leased, id).onTermination().invoke(abandoned::leave).subscribe().with(ignored -> {
            }, failure -> LOG.debugf("A lease comes back by itself: %s", failure.getMessage()));
        }
    }

    /** Repeats it until the store has answered, or the lease is over. */
    private Uni<long[]> giveBack(LimitStore store, List<Asked> leased, long id) {
        return store.decide(question(leased, id, false)).onFailure(failure -> !givenUp).retry()
                .withBackOff(FIRST_PAUSE, LONGEST_PAUSE).expireIn(shortestLeaseTime(leased));
    }

    /** Gives everything back; completes when that is answered, or after a second. */
    Uni<Void> releaseAll() {
        List<Uni<Void>> all = new ArrayList<>();
        for (Held lease : held) {
            all.add(lease.release());
        }
        return all.isEmpty() ? Uni.createFrom().voidItem() : Uni.join().all(all).andCollectFailures().replaceWithVoid();
    }

    /** Gives everything back, also what is taken later; does not try again when that is answered, or after a second. */
    Uni<Void> stop() {
        stopped = true;
        return releaseAll().invoke(() -> givenUp = true);
    }

    private static List<Asked> leased(List<Asked> asked) {
        List<Asked> leased = List.of();
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).charge().holdsPermits()) {
                leased = leased.isEmpty() ? new ArrayList<>(asked.size()) : leased;
                leased.add(asked.get(i));
            }
        }
        return leased;
    }

    /** Milliseconds. */
    private static long shortestLeaseTime(List<Asked> leased) {
        long shortest = Long.MAX_VALUE;
        for (Asked one : leased) {
            for (PolicyLimit limit : one.charge().policy().limits()) {
                if (limit.limit().algorithm() == Algorithm.CONCURRENCY) {
                    shortest = Math.min(shortest, limit.limit().leaseTime().toMillis());
                }
            }
        }
        return shortest;
    }

    private static Question question(List<Asked> leased, long id, boolean renewal) {
        List<Ask> asks = new ArrayList<>(leased.size());
        for (Asked one : leased) {
            List<Step> steps = new ArrayList<>(1);
            for (PolicyLimit limit : one.charge().policy().limits()) {
                if (limit.limit().algorithm() == Algorithm.CONCURRENCY) {
                    steps.add(new Step(limit.name(), act(limit, one.charge().call().cost(), id, renewal)));
                }
            }
            asks.add(new Ask(one.charge().policy().name(), false, one.caller(), steps));
        }
        return new Question(asks);
    }

    private static Act act(PolicyLimit limit, long cost, long id, boolean renewal) {
        return renewal ? limit.rule().take(new Call(cost, Manner.CHARGE, id)) : limit.rule().giveBack(null, 0, cost, id);
    }

    private final class Held implements Lease {

        private final List<Asked> leased;
        private final long id;
        private final LimitStore store;
        private final long timer;
        private Uni<long[]> renewing = Uni.createFrom().nullItem();
        private Uni<Void> released, tried;
        private volatile BooleanSupplier ended = () -> true;

        Held(List<Asked> leased, long id, LimitStore store) {
            this.leased = leased;
            this.id = id;
            this.store = store;
            this.timer = vertx.setPeriodic(shortestLeaseTime(leased) / 3, ignored -> renewOrRelease());
        }

        @Override
        public void hold(BooleanSupplier ended) {
            this.ended = ended;
        }

        /** Asks without the lock whether the call has ended: who knows that may wait for a release himself. */
        private void renewOrRelease() {
            if (ended.getAsBoolean()) {
                release();
            } else {
                renew();
            }
        }

        private synchronized void renew() {
            if (released == null) {
                renewing = store.decide(question(leased, id, true)).onFailure()
                        .invoke(failure -> LOG.debugf("A lease was not renewed: %s", failure.getMessage()))
                        .onFailure().recoverWithNull().memoize().indefinitely();
                renewing.subscribe().with(ignored -> {
                });
            }
        }

        /** A renewal that is on its way comes first, or it would bring the lease back. */
        @Override
        public synchronized Uni<Void> release() {
            if (released == null) {
                held.remove(this);
                vertx.cancelTimer(timer);
                released = renewing.chain(() -> giveBack(store, leased, id)).replaceWithVoid().memoize().indefinitely();
                released.subscribe().with(ignored -> {
                }, failure -> LOG.debugf("A lease comes back by itself: %s", failure.getMessage()));
                // made only once: work may end when the application has stopped, and Mutiny with it
                tried = released.ifNoItem().after(LONGEST_PAUSE).recoverWithItem((Void) null).onFailure().recoverWithNull();
            }
            return tried;
        }
    }
}
