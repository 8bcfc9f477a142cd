package org.acme.costs;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;

/** Answers questions whose cost is known when they are answered. */
@ApplicationScoped
public class Assistant {

    @Inject
    @RateLimitPolicy("tokens")
    ReactiveRateLimiter limiter;

    // tag::settle[]
    public Uni<Answer> ask(String user, String question) {
        return limiter.forKey(user).reserve(300).chain(reserved -> {
            if (!reserved.decision().allowed()) {
                throw new RateLimitExceededException(reserved.decision());
            }
            return answer(question)
                    .onItem().call(answer -> reserved.settle(answer.tokens()))
                    .onFailure().call(reserved::cancel);
        });
    }
    // end::settle[]

    // tag::charge[]
    public Uni<RateLimitDecision> chargeAfterwards(String user, Answer answer) {
        return limiter.forKey(user).charge(answer.tokens());
    }
    // end::charge[]

    private static Uni<Answer> answer(String question) {
        return question.isEmpty() ? Uni.createFrom().failure(new IllegalArgumentException("no question"))
                : Uni.createFrom().item(new Answer(question.length() * 100L));
    }

    /** An answer and what it cost. */
    public record Answer(long tokens) {
    }
}
