package io.quarkiverse.ratelimit.benchmarks;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * This extension as code uses it: the {@link ReactiveRateLimiter} of a policy, on one event loop. The limiter of each key is
 * kept, as are the buckets of Bucket4j.
 */
final class OwnLimiter implements Contender {

    /** How its policies are configured, except for their rates. */
    enum Form {
        DEFAULT("quarkus-rate-limit", ""),
        UNCACHED("quarkus-rate-limit without denial cache", "-uncached"),
        PREFETCHING("quarkus-rate-limit with prefetch", "-prefetching");

        final String label;
        final String suffix;

        Form(String label, String suffix) {
            this.label = label;
            this.suffix = suffix;
        }
    }

    /** After this many decisions without a request to Redis the event loop may do other work. */
    private static final int MOST_AT_ONCE = 16;

    private final RateLimiters limiters;
    private final Context loop;
    private final Form form;
    /** The number of consecutive decisions without a request to Redis in this task of the event loop. */
    private int atOnce;
    private ReactiveRateLimiter[] limiterOf;

    OwnLimiter(RateLimiters limiters, Vertx vertx, Form form) {
        this.limiters = limiters;
        this.loop = vertx.getOrCreateContext();
        this.form = form;
    }

    @Override
    public String name() {
        return form.label;
    }

    @Override
    public boolean isPeer() {
        return false;
    }

    @Override
    public void limit(String prefix, Rate[] rates) {
        limiterOf = new ReactiveRateLimiter[rates.length];
        for (int i = 0; i < rates.length; i++) {
            limiterOf[i] = limiters.get(rates[i].policy(form)).reactive().forKey(prefix + i);
        }
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        InFlight calls = new InFlight(limiterOf.length, deadline);
        return calls.run(inFlight, task -> loop.runOnContext(ignored -> task.run()),
                key -> limiterOf[key].tryAcquire().subscribe().with(decision -> decided(decision, calls), calls::failed));
    }

    private void decided(RateLimitDecision decision, InFlight calls) {
        switch (decision.source()) {
            case REDIS -> {
                atOnce = 0;
                calls.decided(decision.allowed());
            }
            case DENIAL_CACHE, PREFETCHED -> {
                if (++atOnce < MOST_AT_ONCE) {
                    calls.decided(decision.allowed());
                } else {
                    atOnce = 0;
                    loop.runOnContext(ignored -> calls.decided(decision.allowed()));
                }
            }
            case FALLBACK, NOT_LIMITED -> calls.failed(new IllegalStateException("Decided without Redis: " + decision));
        }
    }
}
