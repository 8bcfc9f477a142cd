package io.quarkiverse.ratelimit.runtime.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * Projects the limits of a policy from a store's reply to a later time, as if no other call was counted since.
 *
 * @param first the position of the policy's first limit in the reply
 * @param charged whether the call was charged
 * @param nanoTime the time of the reply, by {@link System#nanoTime}
 */
record Projection(PolicyRequest request, StoreReply reply, int first, boolean charged, long nanoTime) {

    /** Shorter delays are not worth a projection: the times in headers are whole seconds. */
    private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(1);

    /** The time of the reply, by the clock of the store. */
    Instant time() {
        return Instant.EPOCH.plus(reply.time(), ChronoUnit.MICROS);
    }

    /** When the block of the key ends, in microseconds by the clock of the store; 0 if the key is not blocked. */
    long blockEnd() {
        Duration left = reply.blockedFor(first + request.operations().size() - 1);
        return left.isZero() ? 0 : reply.time() + left.toNanos() / 1_000;
    }

    boolean isOutdated(long now) {
        return now - nanoTime >= SHORTEST;
    }

    /** The states as of the reply. */
    List<LimitState> states() {
        int limits = request.policy().limits().size();
        List<LimitState> states = new ArrayList<>(limits);
        for (int i = 0; i < limits; i++) {
            states.add(
                    reply.usage(first + i).state(request.operations().get(i).limit(), request.call(i), reply.time(), charged));
        }
        return states;
    }

    /** @param now by {@link System#nanoTime} */
    List<LimitState> at(long now) {
        return after((now - nanoTime) / 1_000);
    }

    /** @param micros how much later */
    List<LimitState> after(long micros) {
        int limits = request.policy().limits().size();
        List<LimitState> states = new ArrayList<>(limits);
        for (int i = 0; i < limits; i++) {
            states.add(reply.usage(first + i).stateAfter(micros, request.operations().get(i).limit(), request.call(i),
                    reply.time(), charged));
        }
        return states;
    }

    /** The states as of later, but without the permits that have come back in the meantime. */
    List<LimitState> unrefilledAfter(long micros) {
        List<LimitState> states = states();
        states.replaceAll(state -> LimitUsage.unrefilled(state, micros));
        return states;
    }
}
