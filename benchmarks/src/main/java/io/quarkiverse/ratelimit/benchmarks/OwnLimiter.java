package io.quarkiverse.ratelimit.benchmarks;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** This extension, as code asks it: by the {@link RateLimiter} of a policy, on one event loop. */
final class OwnLimiter implements Contender {

    static final String CACHED = "quarkus-rate-limit";
    static final String UNCACHED = CACHED + " without denial cache";
    /** After so many answers of the cache the event loop may do other work. */
    private static final int MOST_AT_ONCE = 16;

    private final RateLimiters limiters;
    private final Context loop;
    private final boolean denialCache;
    /** How many answers of the cache have followed each other in this turn of the loop. */
    private int atOnce;
    private RateLimiter[] limiterOf;
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
        limiterOf = new RateLimiter[rates.length];
        callers = new String[rates.length];
        for (int i = 0; i < rates.length; i++) {
            limiterOf[i] = limiters.get(rates[i].policy(denialCache));
            callers[i] = prefix + i;
        }
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight questions = new InFlight(callers.length, deadline);
        return questions.run(inFlight, task -> loop.runOnContext(ignored -> task.run()),
                key -> limiterOf[key].acquire(callers[key])
                        .subscribe().with(decision -> answered(decision, questions), questions::failed));
    }

    private void answered(RateLimitDecision decision, InFlight questions) {
        switch (decision.source()) {
            case REDIS -> {
                atOnce = 0;
                questions.answered(decision.allowed());
            }
            case DENIAL_CACHE -> {
                if (++atOnce < MOST_AT_ONCE) {
                    questions.answered(decision.allowed());
                } else {
                    atOnce = 0;
                    loop.runOnContext(ignored -> questions.answered(decision.allowed()));
                }
            }
            case FALLBACK -> questions.failed(new IllegalStateException("Decided without Redis: " + decision));
        }
    }
}
