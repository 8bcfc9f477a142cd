package org.acme.migrate;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;

/** What was limited by the class of the Redis guides. */
@ApplicationScoped
public class Uploads {

    // tag::configured[]
    @Inject
    @RateLimitPolicy("uploads")
    RateLimiter uploads;

    public String upload(String user) {
        RateLimitDecision decision = uploads.forKey(user).tryAcquire();
        return decision.allowed() ? decision.remaining() + " left" : "again in " + decision.retryAfterSeconds() + " s";
    }
    // end::configured[]

    // tag::made[]
    @Inject
    RateLimiters limiters;

    public boolean mayDownload(String user) {
        RateLimiter downloads = limiters.create("guide-downloads",
                Limit.tokenBucket(10).refillInterval(1, Duration.ofMinutes(1)));
        return downloads.forKey(user).tryAcquire().allowed();
    }
    // end::made[]
}
