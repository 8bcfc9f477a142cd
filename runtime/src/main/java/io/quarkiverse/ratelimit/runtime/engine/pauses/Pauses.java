package io.quarkiverse.ratelimit.runtime.engine.pauses;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jboss.logging.Logger;
import org.jboss.logging.Logger.Level;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.observers.Observers;
import io.quarkiverse.ratelimit.runtime.platform.Waits;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.smallrye.mutiny.Uni;

/** Pauses the keys of an outgoing call on all instances when the called service or code asks for it. */
public final class Pauses {

    /** The property of a request with the outcome of its call. */
    public static final String OUTCOME = "io.quarkiverse.ratelimit.outcome";

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final long BETWEEN_WARNINGS = TimeUnit.MINUTES.toNanos(1);
    /** Microseconds; a requested pause ends at a multiple of a hundredth of its time. */
    private static final long MIN_STEP = 1_000, MAX_STEP = 100_000;

    private final Overrides overrides;
    private final PausedBuckets buckets;
    private final Observers observers;
    private final LongSupplier clock;
    /** When there was a warning, by {@link System#nanoTime}. */
    private final Map<String, Long> warned = new ConcurrentHashMap<>();

    /** @param clock microseconds */
    public Pauses(Overrides overrides, PausedBuckets buckets, Observers observers, LongSupplier clock) {
        this.overrides = overrides;
        this.buckets = buckets;
        this.observers = observers;
        this.clock = clock;
    }

    /**
     * Pauses what the policies of a call obey: on this instance at once, on all when the result completes, which never fails.
     *
     * @param headers of the response, by their names
     */
    public Uni<Void> obey(Outcome outcome, int status, Map<String, List<String>> headers) {
        List<Uni<Void>> pauses = new ArrayList<>();
        long now = clock.getAsLong();
        RequestedPause requested = RequestedPause.of(status, headers, Instant.EPOCH.plus(now, ChronoUnit.MICROS));
        for (Decision decision : outcome.obeying()) {
            boolean isLimited = decision.source() != Source.NOT_LIMITED;
            long longest = isLimited ? LimitUsage.micros(decision.appliedPolicy().obeyRetryAfter()) : 0;
            long asked = LimitUsage.micros(requested.time()), time = Math.min(asked, longest);
            // the pauses of responses that arrive together end together, so that only the first one is stored
            long step = Math.max(MIN_STEP, Math.min(time / 100, MAX_STEP));
            long rounded = (now + Math.min(time + step - 1, longest)) / step * step;
            // only the longest time may end a pause before the service asks for its end
            long until = asked <= longest ? Math.max(now + asked, rounded) : rounded;
            Duration left = LimitUsage.micros(until - now);
            String policy = decision.policy();
            if (time > 0 && overrides.pausedFor(policy, decision.key()).compareTo(left) < 0) {
                pauses.add(pause(decision.appliedPolicy(), decision.key(), left, LimitUsage.micros(time),
                        "the called service has responded " + status));
            }
            if (longest > 0 && !requested.notUnderstood().isEmpty()) {
                warn("not understood ", policy, "Policy " + policy + " ignores a value that is not understood in a response "
                        + status + " of the called service. " + requested.notUnderstood().get(0));
            }
        }
        return Uni.join().all(pauses).andCollectFailures().replaceWithVoid().onFailure()
                .recoverWithItem(failure -> {
                    LOG.debug("Only this instance pauses", failure);
                    return null;
                });
    }

    /** Warns at most once a minute of one kind and policy. */
    private void warn(String kind, String policy, String message) {
        long now = System.nanoTime();
        Long before = warned.get(kind + policy);
        boolean isDue = before == null ? warned.putIfAbsent(kind + policy, now) == null
                : now - before >= BETWEEN_WARNINGS && warned.replace(kind + policy, before, now);
        LOG.log(isDue ? Level.WARN : Level.DEBUG, message);
    }

    /**
     * Pauses a key as if a called service had asked for it, on this instance at once. Fails if other instances do not learn of
     * it.
     *
     * @param policy in force for the key
     */
    public Uni<Void> pause(Policy policy, String key, Duration time) {
        return pause(policy, key, time, time, "the application asks for it");
    }

    /** @param asked the time for the log, before it was rounded */
    private Uni<Void> pause(Policy policy, String key, Duration time, Duration asked, String reason) {
        Duration known = overrides.knownPause(policy.name(), key);
        return overrides.pause(policy, key, time)
                .onItem().invoke(before -> began(policy, key, asked, before.isZero(), "", reason))
                .onFailure().invoke(failure -> began(policy, key, asked, known.isZero(), " on this instance only", reason))
                .onFailure().call(() -> empty(policy, key, known, time))
                .chain(before -> empty(policy, key, before, time));
    }

    /** @param isFirst whether the key was not paused already */
    private void began(Policy policy, String key, Duration time, boolean isFirst, String where, String reason) {
        if (isFirst && !overrides.pausedFor(policy.name(), key).isZero()) {
            warn("paused ", policy.name(),
                    "Policy " + policy.name() + " pauses " + (key.isEmpty() ? "all calls" : key) + " for "
                            + Waits.inWords(time) + where + ", as " + reason);
            observers.notify(observer -> observer.paused(policy.name()));
        }
    }

    /** @param before for how long the key was paused already */
    private Uni<Void> empty(Policy policy, String key, Duration before, Duration time) {
        return buckets.emptyAfter(policy, key, before, time).onFailure().recoverWithItem(failure -> {
            LOG.debugf(failure, "Calls of policy %s may come all at once after its pause", policy.name());
            return null;
        });
    }
}
