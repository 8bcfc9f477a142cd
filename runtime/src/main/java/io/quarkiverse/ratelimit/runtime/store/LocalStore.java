package io.quarkiverse.ratelimit.runtime.store;

import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Verdict;
import io.quarkiverse.ratelimit.runtime.store.States.State;
import io.smallrye.mutiny.Uni;

/** Decides in the memory of this instance, by the same algorithms; what no longer matters is forgotten. */
public final class LocalStore implements LimitStore {

    private final LongSupplier clock;
    private final States states;

    /** @param clock microseconds since the epoch, which never go back */
    public LocalStore(LongSupplier clock) {
        this(clock, new States());
    }

    LocalStore(LongSupplier clock, States states) {
        this.clock = clock;
        this.states = states;
    }

    public synchronized void forgetAll() {
        states.forgetAll();
    }

    @Override
    public Uni<long[]> decide(Question question) {
        return Undecorated.item(() -> decideNow(question));
    }

    /** Does the same at once, as nobody else has to be asked. */
    public synchronized long[] decideNow(Question question) {
        long now = clock.getAsLong();
        int limits = question.limits();
        long[] reply = new long[LimitRule.FIRST + limits * LimitRule.WIDTH];
        Heard[] heard = new Heard[limits];
        reply[0] = now;
        ask(question, now, 0, heard, reply);
        if (question.leveled()) {
            long least = Question.least(reply, LimitRule.FIRST, limits);
            if (least > 0) {
                ask(question, now, least, heard, reply);
            }
        }
        write(question, reply, heard, now);
        return reply;
    }

    private void ask(Question question, long now, long cost, Heard[] heard, long[] reply) {
        int n = 0;
        for (int i = 0; i < question.asks().size(); i++) {
            Ask ask = question.asks().get(i);
            List<Step> steps = ask.steps();
            for (int j = 0; j < steps.size(); j++) {
                Step step = steps.get(j);
                StateKey key = new StateKey(ask.policy(), step.limit(), ask.caller());
                State state = states.of(key);
                Verdict verdict = step.act().decide(states.stored(state, now), now, cost);
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

    private void write(Question question, long[] reply, Heard[] heard, long now) {
        boolean admitted = question.admitted(reply);
        int n = 0;
        for (int i = 0; i < question.asks().size(); i++) {
            int size = question.asks().get(i).steps().size();
            boolean charged = admitted && Question.admits(reply, LimitRule.FIRST + n * LimitRule.WIDTH, size);
            for (int j = 0; j < size; j++) {
                Heard one = heard[n++];
                if (one.verdict.stored() != null && (charged || !one.verdict.admitted())) {
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

    /** What one limit says, and what it was asked about. */
    private record Heard(StateKey key, State state, Verdict verdict) {
    }
}
