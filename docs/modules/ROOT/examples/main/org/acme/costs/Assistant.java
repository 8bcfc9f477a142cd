package org.acme.costs;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;

/** Completes prompts. The cost of each is known afterwards. */
@ApplicationScoped
public class Assistant {

    @Inject
    @RateLimitPolicy("tokens")
    ReactiveRateLimiter limiter;

    // tag::settle[]
    public Uni<Completion> complete(String user, String prompt) {
        return limiter.forKey(user).reserve(300).chain(reserved -> {
            if (!reserved.decision().allowed()) {
                throw RateLimitException.of(reserved.decision());
            }
            return completion(prompt)
                    .onItem().call(completion -> reserved.settle(completion.tokens()))
                    .onFailure().call(reserved::cancel);
        });
    }
    // end::settle[]

    // tag::charge[]
    public Uni<RateLimitDecision> chargeAfterwards(String user, Completion completion) {
        return limiter.forKey(user).charge(completion.tokens());
    }
    // end::charge[]

    private static Uni<Completion> completion(String prompt) {
        return prompt.isEmpty() ? Uni.createFrom().failure(new IllegalArgumentException("no prompt"))
                : Uni.createFrom().item(new Completion(prompt.length() * 100L));
    }

    /** A completion and what it cost. */
    public record Completion(long tokens) {
    }
}
