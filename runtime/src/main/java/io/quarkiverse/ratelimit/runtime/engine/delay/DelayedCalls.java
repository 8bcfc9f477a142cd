package io.quarkiverse.ratelimit.runtime.engine.delay;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.engine.call.Call;
import io.quarkiverse.ratelimit.runtime.engine.call.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.call.Charge;
import io.quarkiverse.ratelimit.runtime.engine.call.Decider;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.refunds.Refunds;
import io.quarkiverse.ratelimit.runtime.platform.vertx.Timers;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;

/**
 * Delays calls that have acquired their permits in advance, and lets calls with {@code max-wait} wait while their key is
 * paused. When too many calls are delayed, a further call that would be delayed is denied. A call that is canceled while it is
 * delayed refunds its permits.
 *
 * @param vacancies how many more calls may be delayed
 */
public record DelayedCalls(Decider next, Refunds refunds, Semaphore vacancies, Timers timers, LongSupplier ids,
        Overrides overrides) implements Decider {

    /** Completes when the call may go ahead or is denied. Its delay is not a part of its deadline. */
    @Override
    public Uni<Outcome> decide(Call call) {
        return call.charges().stream().noneMatch(keyed -> keyed.policy().mayDelay()) ? next.decide(call)
                : Uni.createFrom().deferred(() -> call.request().overflows() ? decideOverflows(call)
                        : decideUnlessPaused(call, Duration.ZERO));
    }

    /**
     * Decides a call with overflows, of which only the last may delay it. If all deny it and the key of the last one is
     * paused, decides it again after the pause.
     */
    private Uni<Outcome> decideOverflows(Call call) {
        KeyedCharge last = call.charges().get(call.charges().size() - 1);
        Duration pause = pauseOf(last);
        if (pause.isZero() || pause.compareTo(last.policy().maxWait()) > 0) {
            return decideInPlace(call);
        }
        return next.decide(undelayed(call)).chain(outcome -> !outcome.isDenied() ? Uni.createFrom().item(outcome)
                : outcome.isBlocked() || !vacancies.tryAcquire() ? decideInPlace(call)
                        : timers.after(pause).onTermination().invoke(vacancies::release)
                                .chain(() -> decideInPlace(afterWaiting(call, pause))));
    }

    /**
     * Decides a call, after the pause of its key if the call may wait that long; otherwise the pause denies it. The longest
     * wait includes the pause. If the delay of the call ends during another pause, refunds the call and decides it again.
     *
     * @param call as it was made: {@link #afterWaiting} subtracts the whole time that it has waited
     */
    private Uni<Outcome> decideUnlessPaused(Call call, Duration waited) {
        Duration pause = pauseOf(call);
        if (pause.isZero()) {
            return decideInPlace(waited.isZero() ? call : afterWaiting(call, waited))
                    .chain(outcome -> outcome.delay().isZero() || pauseOf(call).isZero() ? Uni.createFrom().item(outcome)
                            : refunds.refund(outcome).chain(() -> decideUnlessPaused(call, waited.plus(outcome.delay()))));
        }
        if (!mayWait(call, waited) || !vacancies.tryAcquire()) {
            // the policy of this call has the pause as a block, which denies it
            return decideInPlace(afterWaiting(call, waited));
        }
        return timers.after(pause).onTermination().invoke(vacancies::release)
                .chain(() -> decideUnlessPaused(call, waited.plus(pause)));
    }

    private Duration pauseOf(Call call) {
        return LimitUsage.longest(call.charges(), this::pauseOf);
    }

    /** Returns how long the pause of the key delays the call; zero if it does not. */
    private Duration pauseOf(KeyedCharge keyed) {
        boolean waits = !keyed.charge().shadow() && keyed.charge().requested().kind() == OperationKind.ACQUIRE;
        return waits ? overrides.pausedFor(keyed.policy().name(), keyed.key()) : Duration.ZERO;
    }

    private boolean mayWait(Call call, Duration waited) {
        return call.charges().stream().allMatch(keyed -> pauseOf(keyed).isZero()
                || pauseOf(keyed).compareTo(keyed.policy().maxWait().minus(waited)) <= 0);
    }

    /**
     * Returns the call under the block or pause that is in force now, with its longest wait reduced by the time it has
     * waited. Its deadline begins again if it has waited.
     */
    private Call afterWaiting(Call call, Duration waited) {
        Deadline deadline = waited.isZero() ? call.deadline() : call.deadline().restarted();
        return call.with(ids.getAsLong(), deadline, keyed -> new Charge(
                overrides.withBlock(keyed.policy(), keyed.key()).after(waited), keyed.charge().requested()));
    }

    private Uni<Outcome> decideInPlace(Call call) {
        Place place = new Place(vacancies);
        return decideOrDelay(call, place).onTermination().invoke(place::leave);
    }

    /**
     * Decides a call without a delay. If limits deny it and it finds a place, decides it again, with a delay: only then it
     * acquires permits in advance. So calls that do not wait take no place, and calls without a place push no others back.
     */
    public Uni<Outcome> decideOrDelay(Call call, Place place) {
        if (call.charges().stream().allMatch(keyed -> keyed.charge().undelayed() == null)) {
            return next.decide(call);
        }
        return next.decide(undelayed(call))
                .chain(outcome -> outcome.isDenied() ? decideWithDelay(call, outcome, place) : Uni.createFrom().item(outcome));
    }

    /** Returns a call that is not delayed, and whose denial does not count towards a block if it is decided again. */
    private Call undelayed(Call call) {
        return call.with(ids.getAsLong(), call.deadline(),
                keyed -> keyed.charge().undelayed() != null ? keyed.charge().undelayed()
                        : keyed.first() == null ? keyed.charge() : keyed.charge().withoutCountingDenials());
    }

    private Uni<Outcome> decideWithDelay(Call call, Outcome denial, Place place) {
        // a call that would wait too long needs no place; the reply has the time after which it fits into max-wait
        if (isDeniedByLimits(denial) && (!fitsMaxWait(denial, call) || place.take())) {
            return next.decide(call.with(call.id(), call.deadline(), keyed -> secondCharge(keyed.charge())))
                    .chain(outcome -> delay(outcome, call, denial, place));
        }
        return countDenial(call, denial);
    }

    /** Returns whether nothing but used up limits denies a call: of a policy and its overflows, the last one may delay it. */
    private static boolean isDeniedByLimits(Outcome denial) {
        return denial.decisions().stream().map(Decision::lastAsked)
                .allMatch(decision -> decision.allowed() || decision.reason() == DenialReason.LIMIT_REACHED);
    }

    /** Returns whether {@code max-wait} of each denying policy is at least its wait. */
    private static boolean fitsMaxWait(Outcome denial, Call call) {
        return denial.decisions().stream().map(Decision::lastAsked).allMatch(decision -> decision.allowed()
                || call.charges().stream().anyMatch(keyed -> keyed.policy().name().equals(decision.policy())
                        && keyed.policy().maxWait().compareTo(decision.retryAfter()) >= 0));
    }

    /** Returns a charge for the second time: the denial of a policy in shadow mode has counted before. */
    private static Charge secondCharge(Charge charge) {
        return charge.shadow() ? charge.withoutCountingDenials() : charge;
    }

    /** Returns the denial of a call that is not delayed. If a penalty counts denials, decides once more, so that it counts. */
    private Uni<Outcome> countDenial(Call call, Outcome denial) {
        if (call.charges().stream().noneMatch(keyed -> !keyed.charge().shadow() && keyed.policy().countsDenials())) {
            return Uni.createFrom().item(denial);
        }
        return next.decide(call.with(ids.getAsLong(), call.deadline(), keyed -> keyed.charge().undelayed() == null
                ? secondCharge(keyed.charge())
                : new Charge(keyed.policy().withMaxWait(Duration.ZERO), keyed.charge().requested())));
    }

    /** Waits for the permits of a call in its place. A call without a place is refunded, and denied. */
    private Uni<Outcome> delay(Outcome outcome, Call call, Outcome denial, Place place) {
        if (outcome.delay().isZero()) {
            return Uni.createFrom().item(outcome);
        }
        if (!place.take()) {
            return refunds.refund(outcome).chain(() -> countDenial(call, denial));
        }
        outcome.lease().confirm();
        return timers.after(outcome.delay())
                .onCancellation().call(() -> refunds.refund(outcome))
                .replaceWith(outcome);
    }
}
