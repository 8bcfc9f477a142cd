package io.quarkiverse.ratelimit.runtime.engine.call;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.smallrye.mutiny.Uni;

/**
 * Runs steps before and after the next link, in one Mutiny operator, because each operator takes time.
 *
 * @param recovery decides a call that the next link cannot decide
 */
public record Steps(Decider next, List<Step> steps, BiFunction<Call, Throwable, Outcome> recovery, LongSupplier nanoTime)
        implements
            Decider {

    /** Runs synchronously before and after a decision. */
    public interface Step {

        /**
         * Returns the outcome of a call that this step decides by itself; otherwise {@code null}.
         *
         * @param now nanoseconds
         */
        Outcome before(Call call, long now);

        /**
         * Records the outcome of a call that the next link or the recovery has decided.
         *
         * @param began when the next link began, nanoseconds
         */
        void after(Call call, Outcome outcome, long began);
    }

    /**
     * Creates the end of the chain, which decides each call by one request to the store.
     *
     * @param source {@code REDIS} or {@code MEMORY}, where the store counts
     */
    public static Decider inStore(LimitStore store, Source source) {
        return call -> PlainUni.map(store.decide(call.request(), call.deadline()), reply -> Outcome.of(call, reply, source, 0));
    }

    @Override
    public Uni<Outcome> decide(Call call) {
        long began = nanoTime.getAsLong();
        for (int i = 0; i < steps.size(); i++) {
            Outcome decided = steps.get(i).before(call, began);
            if (decided != null) {
                return PlainUni.item(decided);
            }
        }
        return PlainUni.mapItemOrFailure(next.decide(call), (decided, failure) -> {
            Outcome outcome = failure == null ? decided : recovery.apply(call, failure);
            for (int i = steps.size() - 1; i >= 0; i--) {
                steps.get(i).after(call, outcome, began);
            }
            return outcome;
        });
    }
}
