package io.quarkiverse.ratelimit.runtime.engine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.events.Observers;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.smallrye.mutiny.Uni;

/**
 * Pauses the keys of an outgoing call on all instances when the called service answers it with {@code Retry-After}.
 *
 * @param clock microseconds
 */
public record Pauses(Overrides overrides, LimitStore store, Observers observers, LongSupplier ids, LongSupplier clock) {

    /** The property of a request with the outcome of its call. */
    public static final String OUTCOME = "io.quarkiverse.ratelimit.outcome";

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    /** A pause ends at a multiple of this many microseconds, so that answers that arrive together change it once. */
    private static final long STEP = 100_000;

    /**
     * Pauses what the policies of a call obey: on this instance at once, on all when the result completes, which never fails.
     *
     * @param retryAfter {@code null} for none
     * @param date the header {@code Date} of the answer; {@code null} for none
     */
    public Uni<Void> obey(Outcome outcome, int status, String retryAfter, String date) {
        if (retryAfter == null || status != 429 && status != 503) {
            return Uni.createFrom().voidItem();
        }
        List<Uni<Void>> pauses = new ArrayList<>(List.of(Uni.createFrom().voidItem()));
        long now = clock.getAsLong();
        long requested = LimitUsage.micros(requestedPause(retryAfter, date, Instant.EPOCH.plus(now, ChronoUnit.MICROS)));
        for (Decision decision : outcome.all()) {
            long longest = LimitUsage.micros(decision.appliedPolicy().obeyRetryAfter());
            long until = (now + Math.min(requested + STEP - 1, longest)) / STEP * STEP;
            if (requested > 0 && longest > 0) {
                pauses.add(pause(decision, LimitUsage.micros(until - now), status));
            }
        }
        return Uni.join().all(pauses).andCollectFailures().replaceWithVoid();
    }

    /** How long an answer asks not to be called; zero where it does not ask, or no time that makes sense. */
    static Duration requestedPause(String retryAfter, String date, Instant now) {
        String text = retryAfter.strip();
        Instant until = parsedDate(text);
        Instant sent = date == null ? null : parsedDate(date.strip());
        Duration pause = text.matches("[0-9]{1,9}") ? Duration.ofSeconds(Long.parseLong(text))
                : until == null ? Duration.ZERO : Duration.between(sent == null ? now : sent, until);
        return pause.isNegative() || pause.compareTo(Limit.MAX_PERIOD) > 0 ? Duration.ZERO : pause;
    }

    /** {@code null} for a text that is no date of HTTP. */
    private static Instant parsedDate(String text) {
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        } catch (DateTimeException malformed) {
            return null;
        }
    }

    private Uni<Void> pause(Decision decision, Duration time, int status) {
        Policy policy = decision.appliedPolicy();
        Duration known = overrides.pausedFor(policy.name(), decision.key());
        if (known.compareTo(time) >= 0) {
            return Uni.createFrom().voidItem();
        }
        return overrides.pause(policy, decision.key(), time).onFailure().recoverWithItem(failure -> {
            LOG.debugf(failure, "Only this instance pauses policy %s", policy.name());
            return known;
        }).invoke(before -> {
            if (before.isZero()) {
                LOG.warnf("Policy %s pauses %s for %d s, as the called service has answered %d with Retry-After",
                        policy.name(), decision.key().isEmpty() ? "all calls" : decision.key(),
                        Math.round(time.toMillis() / 1e3), status);
                observers.notify(observer -> observer.paused(policy.name()));
            }
        }).chain(before -> empty(decision, before, time)).onFailure().recoverWithItem(failure -> {
            LOG.debugf(failure, "Calls of policy %s may come all at once after its pause", policy.name());
            return null;
        });
    }

    /**
     * Empties the bucket at the end of the pause, so that waiting calls then go at the pace of the limit. Of several limits
     * that delay calls, this is the fastest one.
     *
     * @param before for how long the key was paused already
     */
    private Uni<Void> empty(Decision decision, Duration before, Duration time) {
        PolicyLimit fastest = decision.appliedPolicy().limits().stream().filter(limit -> !limit.limit().maxWait().isZero())
                .min(Comparator.comparing(limit -> limit.limit().period().dividedBy(limit.limit().permits()))).orElse(null);
        if (fastest == null || before.compareTo(time) >= 0) {
            return Uni.createFrom().voidItem();
        }
        Limit limit = fastest.limit();
        // not by the rate, which is rounded, so that a permit would be missing
        long refilled = (long) Math.min(Limit.MAX_PERMITS, (double) LimitUsage.micros(time.minus(before)) * limit.permits()
                / LimitUsage.micros(limit.period()));
        Uni<Void> emptied = charge(decision, fastest, limit.burst(), OperationKind.ACQUIRE_UP_TO);
        Uni<Void> charged = refilled == 0 ? Uni.createFrom().voidItem()
                : charge(decision, fastest, refilled, OperationKind.CHARGE);
        return before.isZero() ? emptied.chain(() -> charged) : charged;
    }

    private Uni<Void> charge(Decision decision, PolicyLimit limit, long permits, OperationKind kind) {
        return store.decide(new StoreRequest(List.of(new LimitOperation(
                new LimitKey(decision.policy(), limit.name(), decision.key()),
                limit.rule().acquire(new PermitRequest(permits, kind, ids.getAsLong()).asRefundable()))))).replaceWithVoid();
    }
}
