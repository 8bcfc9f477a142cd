package io.quarkiverse.ratelimit.runtime.algorithm.penalty;

import java.util.List;
import java.util.function.LongSupplier;

import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/**
 * Denies the calls of a blocked key, and counts the denials of its policy. All times are microseconds.
 *
 * @param limits the number of limits of the policy, whose operations precede this one
 * @param after 0 if the call does not count as a denial
 * @param blockedFor for how long code has blocked the key
 */
record PenaltyOperation(OperationKind kind, int limits, int after, long within, long block, long maxBlock,
        LongSupplier blockedFor)
        implements
            Operation,
            Operation.Mergeable {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.PENALTY_APPLY, "ARGUMENTS");
    private static final long ALLOWED = 1_000_000_000_000_000L;

    @Override
    public ScriptFile function() {
        return ScriptFile.PENALTY_APPLY;
    }

    /** Calls whose denials count are not merged, as each of them counts. */
    @Override
    public Mergeable merging() {
        return after == 0 ? this : null;
    }

    @Override
    public long cost() {
        return 0;
    }

    @Override
    public Operation times(int calls) {
        return this;
    }

    @Override
    public byte[] arguments(long now) {
        return ARGUMENTS.pack(kind.ordinal(), limits, after, within, block, maxBlock, byCode());
    }

    private long byCode() {
        return Math.max(0, blockedFor.getAsLong());
    }

    @Override
    public LimitReply reply(long granted, long blockedFor, long second, long third, long fourth) {
        return new PenaltyReply(granted, blockedFor);
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost) {
        return decide(stored, now, cost, List.of());
    }

    @Override
    public OperationResult decide(Object stored, long now, long cost, List<LimitReply> replies) {
        PenaltyState before = PenaltyState.of(stored), state = before.asOf(now);
        long byCode = byCode();
        boolean blocked = now < state.ends() || byCode > 0;
        boolean counts = !blocked && after > 0 && isDeniedAfter(replies);
        boolean repairs = now < state.ends() && now < before.began() && kind != OperationKind.PEEK;
        PenaltyState next = counts ? state.denied(now, this) : state;
        return new OperationResult(
                new PenaltyReply(blocked || counts ? 0 : ALLOWED, Math.max(byCode, next.blockedFor(now))),
                counts || repairs ? () -> next : null, next.expiresAt(this));
    }

    private boolean isDeniedAfter(List<LimitReply> before) {
        return before.subList(before.size() - Math.min(limits, before.size()), before.size()).stream()
                .anyMatch(reply -> reply.granted() == 0);
    }
}
