package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.store.StateMap.State;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, with the same algorithms as Redis; sweeps expired states. */
public final class LocalStore implements LimitStore {

    private final LongSupplier clock;
    private final StateMap states;

    /** @param clock microseconds since the epoch; must never go back */
    public LocalStore(LongSupplier clock) {
        this(clock, new StateMap());
    }

    LocalStore(LongSupplier clock, StateMap states) {
        this.clock = clock;
        this.states = states;
    }

    public synchronized void forgetAll() {
        states.forgetAll();
    }

    @Override
    public Uni<long[]> decide(StoreRequest question) {
        return PlainUni.item(() -> decideNow(question));
    }

    /** Decides immediately, as no remote request is needed. */
    public synchronized long[] decideNow(StoreRequest question) {
        long now = clock.getAsLong();
        int limits = question.limits();
        long[] reply = new long[LimitRule.FIRST + limits * LimitRule.WIDTH];
        Heard[] heard = new Heard[limits];
        reply[0] = now;
        ask(question, now, 0, heard, reply);
        if (question.leveled()) {
            long least = StoreRequest.least(reply, LimitRule.FIRST, limits);
            if (least > 0) {
                ask(question, now, least, heard, reply);
            }
        }
        write(question, reply, heard, now);
        return reply;
    }

    private void ask(StoreRequest question, long now, long cost, Heard[] heard, long[] reply) {
        int n = 0;
        for (int i = 0; i < question.asks().size(); i++) {
            PolicyRequest ask = question.asks().get(i);
            List<LimitOperation> steps = ask.steps();
            for (int j = 0; j < steps.size(); j++) {
                LimitOperation step = steps.get(j);
                StateKey key = new StateKey(ask.policy(), step.limit(), ask.caller());
                State state = states.of(key);
                OperationResult verdict = step.act().decide(states.stored(state, now), now, cost);
                int at = LimitRule.FIRST + n * LimitRule.WIDTH;
                reply[at] = verdict.granted();
                reply[at + 1] = verdict.first();
                reply[at + 2] = verdict.second();
                reply[at + 3] = verdict.third();
                reply[at + 4] = verdict.fourth();
                heard[n++] = new Heard(key, state, verdict);
            }
        }
    }

    private void write(StoreRequest question, long[] reply, Heard[] heard, long now) {
        boolean allowed = question.allowed(reply);
        int n = 0;
        for (int i = 0; i < question.asks().size(); i++) {
            int size = question.asks().get(i).steps().size();
            boolean charged = allowed && StoreRequest.allows(reply, LimitRule.FIRST + n * LimitRule.WIDTH, size);
            for (int j = 0; j < size; j++) {
                Heard one = heard[n++];
                if (one.verdict.stored() != null && (charged || !one.verdict.allowed())) {
                    keep(one, now);
                }
            }
        }
    }

    private void keep(Heard heard, long now) {
        Object stored = heard.verdict.stored().get();
        if (stored == null) {
            states.forget(heard.key);
        } else {
            states.keep(heard.key, heard.state, stored, heard.verdict.expiresAt(), now);
        }
    }

    /** The result of the operation on one limit, with its key and previous state. */
    private record Heard(StateKey key, State state, OperationResult verdict) {
    }
}
