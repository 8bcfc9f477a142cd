package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.PolicyPart;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.vertx.Timers;
import io.smallrye.mutiny.Uni;

/**
 * Lets calls with {@code max-wait} wait while their key is paused, and decides them afterwards. A pause counts towards their
 * longest wait. A call whose delay ends during a pause is refunded, and decided again after it.
 */
record PausedCalls(Overrides overrides, Refunds refunds, Semaphore delayed, Timers timers, LongSupplier ids) {

    Uni<Outcome> decide(Call call, Deadline deadline, BiFunction<Call, Deadline, Uni<Outcome>> decision) {
        return decide(call, Duration.ZERO, deadline, decision);
    }

    private Uni<Outcome> decide(Call call, Duration waited, Deadline deadline,
            BiFunction<Call, Deadline, Uni<Outcome>> decision) {
        Duration pause = timeLeft(call);
        if (pause.isZero()) {
            return decision.apply(waited.isZero() ? call : after(call, waited), deadline)
                    .chain(outcome -> outcome.delay().isZero() || timeLeft(call).isZero() ? Uni.createFrom().item(outcome)
                            : refunds.refund(outcome)
                                    .chain(() -> decide(call, waited.plus(outcome.delay()), restarted(deadline), decision)));
        }
        if (!mayWait(call, waited) || !delayed.tryAcquire()) {
            return decision.apply(after(call, waited), deadline);
        }
        return timers.after(pause).onTermination().invoke(delayed::release)
                .chain(() -> decide(call, waited.plus(pause), restarted(deadline), decision));
    }

    /** How long the call must wait because one of its keys is paused. */
    private Duration timeLeft(Call call) {
        Duration longest = Duration.ZERO;
        if (!overrides.areEmpty()) {
            for (PolicyPart part : call.parts()) {
                longest = LimitUsage.longer(pauseOf(part), longest);
            }
        }
        return longest;
    }

    private Duration pauseOf(PolicyPart part) {
        return part.charge().shadow ? Duration.ZERO : overrides.pausedFor(part.policy().name(), part.key());
    }

    private boolean mayWait(Call call, Duration waited) {
        return call.parts().stream().allMatch(part -> pauseOf(part).isZero()
                || pauseOf(part).compareTo(part.policy().maxWait().minus(waited)) <= 0);
    }

    /** The same call after it has waited for this long. */
    private Call after(Call call, Duration waited) {
        Call later = new Call(ids.getAsLong());
        for (PolicyPart part : call.parts()) {
            later.add(
                    new Charge(overrides.blocked(part.policy(), part.key()).after(waited),
                            part.charge().requested),
                    part.key());
        }
        return later;
    }

    private static Deadline restarted(Deadline deadline) {
        return Deadline.in(Duration.ofNanos(deadline.due() - deadline.began()));
    }
}
