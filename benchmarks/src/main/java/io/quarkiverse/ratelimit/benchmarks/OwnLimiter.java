package io.quarkiverse.ratelimit.benchmarks;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** This extension as code uses it: the {@link ReactiveRateLimiter} of a policy, on one event loop. */
final class OwnLimiter implements Contender {

    static final String CACHED = "quarkus-rate-limit";
    static final String UNCACHED = CACHED + " without denial cache";
    /** After this many decisions of the denial cache the event loop may do other work. */
    private static final int MOST_AT_ONCE = 16;

    private final RateLimiters limiters;
    private final Context loop;
    private final boolean denialCache;
    /** The number of consecutive decisions of the denial cache in this task of the event loop. */
    private int atOnce;
    private ReactiveRateLimiter[] limiterOf;
    private String[] callers;

    /** @param denialCache whether it is on, as it is by default */
    OwnLimiter(RateLimiters limiters, Vertx vertx, boolean denialCache) {
        this.limiters = limiters;
        this.loop = vertx.getOrCreateContext();
        this.denialCache = denialCache;
    }

    @Override
    public String name() {
        return denialCache ? CACHED : UNCACHED;
    }

    @Override
    public boolean isPeer() {
        return false;
    }

    @Override
    public void limit(String prefix, Rate[] rates) {
        limiterOf = new ReactiveRateLimiter[rates.length];
        callers = new String[rates.length];
        for (int i = 0; i < rates.length; i++) {
            limiterOf[i] = limiters.get(rates[i].policy(denialCache)).reactive();
            callers[i] = prefix + i;
        }
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight calls = new InFlight(callers.length, deadline);
        return calls.run(inFlight, task -> loop.runOnContext(ignored -> task.run()),
                key -> limiterOf[key].forKey(callers[key]).tryAcquire()
                        .subscribe().with(decision -> answered(decision, calls), calls::failed));
    }

    private void answered(RateLimitDecision decision, InFlight calls) {
        switch (decision.source()) {
            case REDIS -> {
                atOnce = 0;
                calls.answered(decision.allowed());
            }
            case DENIAL_CACHE, PREFETCHED -> {
                if (++atOnce < MOST_AT_ONCE) {
                    calls.answered(decision.allowed());
                } else {
                    atOnce = 0;
                    loop.runOnContext(ignored -> calls.answered(decision.allowed()));
                }
            }
            case FALLBACK, NOT_LIMITED -> calls.failed(new IllegalStateException("Decided without Redis: " + decision));
        }
    }
}
