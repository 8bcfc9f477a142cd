package io.quarkiverse.ratelimit.docs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/**
 * What an algorithm makes of the traffic.
 *
 * @param requests in the order of their arrival
 * @param level per tick: how many permits are in use, or how many requests are delayed
 */
record Run(List<Request> requests, int[] level) {

    /** How long the work of a request takes, where that matters. */
    static final long WORK = 4 * Traffic.SECOND;

    /** @param goesAt when it goes ahead */
    record Request(long at, boolean allowed, long goesAt) {

        boolean isDelayed() {
            return goesAt > at;
        }
    }

    static Run of(PicturedLimit pictured, List<Traffic> traffic) {
        return new Player(pictured).play(traffic);
    }

    List<Request> of(Traffic traffic) {
        return requests.stream().filter(request -> traffic.has(request.at)).toList();
    }

    long allowed() {
        return requests.stream().filter(Request::allowed).count();
    }

    /** The most requests that went ahead in any span of 10 s. */
    long mostInAnySpan() {
        long[] times = requests.stream().filter(Request::allowed).mapToLong(Request::goesAt).sorted().toArray();
        return Arrays.stream(times).map(from -> Arrays.stream(times)
                .filter(time -> time >= from && time < from + 10 * Traffic.SECOND).count()).max().orElse(0);
    }

    /** Calls the algorithm at every arrival and reads its state at every tick. */
    private static final class Player {

        /** A multiple of the period, so that windows begin with the picture. */
        private static final long START = 1_000_000_000_000_000L;

        private final PicturedLimit pictured;
        private final LimitRule rule;
        private final List<Request> requests = new ArrayList<>();
        private Object stored;

        Player(PicturedLimit pictured) {
            this.pictured = pictured;
            this.rule = PolicyLimit.ruleOf(pictured.limit());
        }

        Run play(List<Traffic> traffic) {
            List<Long> arrivals = traffic.stream().flatMap(part -> part.times().boxed()).toList();
            int[] level = new int[(int) (Traffic.END / Traffic.TICK)];
            for (long now = 0; now < Traffic.END; now += Traffic.TICK) {
                if (pictured.isConcurrency()) {
                    endWork(now);
                }
                for (int arrived = Collections.frequency(arrivals, now); arrived > 0; arrived--) {
                    PermitRequest requested = new PermitRequest(1, OperationKind.ACQUIRE, requests.size());
                    LimitState state = decide(requested, now);
                    requests.add(new Request(now, state.allowed(), now + state.delay().toNanos() / 1000));
                }
                level[(int) (now / Traffic.TICK)] = pictured.waits() ? delayed(now) : used(now);
            }
            return new Run(requests, level);
        }

        private void endWork(long now) {
            for (int id = 0; id < requests.size(); id++) {
                if (requests.get(id).allowed && requests.get(id).goesAt + WORK == now) {
                    decide(rule.refund(null, 0, 1, id), now);
                }
            }
        }

        private int used(long now) {
            LimitState state = decide(new PermitRequest(1, OperationKind.PEEK, -1), now);
            return (int) (state.permits() - state.remaining());
        }

        private int delayed(long now) {
            return (int) requests.stream().filter(request -> request.allowed && request.goesAt > now).count();
        }

        private LimitState decide(PermitRequest requested, long now) {
            UsageReply reply = (UsageReply) decide(rule.acquire(requested), now).reply();
            return reply.state("default", requested, START + now,
                    reply.granted() > 0 && requested.kind() != OperationKind.PEEK);
        }

        /** As a store does. */
        private OperationResult decide(Operation operation, long now) {
            OperationResult result = operation.decide(stored, START + now, 0, List.of());
            if (result.stored() != null) {
                stored = result.stored().get();
            }
            return result;
        }
    }
}
