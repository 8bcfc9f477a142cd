package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.CallIds;
import io.quarkiverse.ratelimit.runtime.store.Charge;
import io.quarkiverse.ratelimit.runtime.store.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.smallrye.mutiny.Uni;

/** Decides calls of code that may wait: in a queue, where the policy cannot acquire permits ahead of time. */
final class WaitingCalls {

    private final DelayedCalls delayed;
    private final WaitQueues queues;
    private final CallIds ids;
    private final Duration timeout;

    WaitingCalls(DelayedCalls delayed, WaitQueues queues, CallIds ids, Duration timeout) {
        this.delayed = delayed;
        this.queues = queues;
        this.ids = ids;
        this.timeout = timeout;
    }

    /** @param charge returns a charge by the limits in force; called for each attempt */
    Uni<Outcome> decide(Supplier<Charge> charge, String caller, Duration maxWait) {
        Policy policy = charge.get().policy();
        return policy.acquiresAhead() || maxWait.isZero() ? waiting(charge, caller, maxWait, false)
                : policy.countsDenials() && policy.mode() == Mode.ENFORCE ? queuedWithPenalty(charge, caller, maxWait)
                        : queued(charge, caller, maxWait);
    }

    private Uni<Outcome> queued(Supplier<Charge> charge, String caller, Duration maxWait) {
        return queues.decide(charge.get().policy().name() + ' ' + caller, maxWait,
                left -> waiting(charge, caller, left, true));
    }

    /** Attempts do not count as denials. A call that is denied in the end is decided once more, and then counts as one. */
    private Uni<Outcome> queuedWithPenalty(Supplier<Charge> charge, String caller, Duration maxWait) {
        return queued(() -> uncounted(charge.get()), caller, maxWait).chain(
                waited -> waited.countsAsDenial() ? waiting(charge, caller, Duration.ZERO, false)
                        : Uni.createFrom().item(waited));
    }

    private static Charge uncounted(Charge charge) {
        return charge.with(charge.policy().withPenalty(Penalty.BY_CODE));
    }

    private Uni<Outcome> waiting(Supplier<Charge> charge, String caller, Duration maxWait, boolean isCounted) {
        return Uni.createFrom().deferred(() -> {
            Charge now = charge.get();
            long id = ids.next();
            Charge delayable = new Charge(now.policy().withMaxWait(maxWait), now.call());
            return delayed.decideOrRefund(new StoreRequest(List.of(delayable.request(caller, id)), id), isCounted,
                    Deadline.in(timeout));
        });
    }
}
