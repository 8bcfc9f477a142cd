package io.quarkiverse.ratelimit.runtime.engine.refunds;

import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.smallrye.mutiny.Uni;

/**
 * Holds the permits of running calls. If a subscriber cancels before the reply arrives, refunds what the call has acquired.
 */
public record HeldCalls(Decider next, Leases leases, Refunds refunds) implements Decider {

    @Override
    public Uni<Outcome> decide(Call call) {
        return Uni.createFrom().deferred(() -> {
            // memoized, as a canceled call still gets its reply, which is then refunded
            Uni<Outcome> outcome = next.decide(call).map(decided -> leases.begin(call, decided)).memoize().indefinitely();
            return outcome.onCancellation().invoke(() -> outcome.chain(refunds::refund).subscribe().with(ignored -> {
            }));
        });
    }
}
