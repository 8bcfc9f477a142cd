package io.quarkiverse.ratelimit.runtime.algorithm;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;

/**
 * Denies the calls of a blocked key, and blocks a key that is denied too often. The scripts of {@code penalty} explain the
 * algorithm and implement the same.
 *
 * @param after number of denials that begin a block; 0 if denials do not count
 * @param within span of these denials, in microseconds as all times
 * @param block length of the first block
 * @param maxBlock longest block; a block within this time after another one lasts twice as long
 * @param blockedFor for how long code has blocked or paused the key
 * @param reason of the denials of a blocked key
 */
public record Penalty(int after, long within, long block, long maxBlock, LongSupplier blockedFor, DenialReason reason) {

    public static final int MAX_AFTER = 1_000;

    private static final LongSupplier NOT_BLOCKED = () -> 0;

    public static final Penalty NONE = new Penalty(0, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    public Penalty(int after, Duration within, Duration block, Duration maxBlock) {
        this(after, micros(within), micros(block), micros(maxBlock), NOT_BLOCKED, DenialReason.BLOCKED);
    }

    /** Returns this penalty for a key that code has blocked for this time. */
    public Penalty blockedFor(LongSupplier micros) {
        return new Penalty(after, within, block, maxBlock, micros, DenialReason.BLOCKED);
    }

    public Penalty pausedFor(LongSupplier micros) {
        return new Penalty(after, within, block, maxBlock, micros, DenialReason.PAUSED);
    }

    /** Returns this penalty for a call whose denial does not count. */
    public Penalty withoutCounting() {
        return new Penalty(0, within, block, maxBlock, blockedFor, reason);
    }

    public boolean counts() {
        return after > 0;
    }

    public boolean isBlocked() {
        return blockedFor.getAsLong() > 0;
    }

    /** Creates the operation on the key of the penalty. It follows the operations of this number of limits. */
    public Operation apply(OperationKind kind, int limits) {
        return new Application(kind == OperationKind.PEEK ? withoutCounting() : this, kind, limits);
    }

    /**
     * @param granted 0 if the key is blocked, or if the denial by a limit of the policy was counted
     * @param blockedFor for how many microseconds the key is blocked; 0 if it is not
     */
    public record Reply(long granted, long blockedFor) implements LimitReply {
    }

    private record Application(Penalty penalty, OperationKind kind, int limits) implements Operation {

        private static final Layout ARGUMENTS = Layout.of(ScriptFile.PENALTY_APPLY, "ARGUMENTS");
        private static final long ALLOWED = 1_000_000_000_000_000L;

        @Override
        public ScriptFile function() {
            return ScriptFile.PENALTY_APPLY;
        }

        /** Calls whose denials count are not merged, as each of them counts. */
        @Override
        public boolean isMergeable() {
            return !penalty.counts();
        }

        @Override
        public byte[] arguments(long now) {
            return ARGUMENTS.pack(kind.ordinal(), limits, penalty.after, penalty.within, penalty.block,
                    penalty.maxBlock, byCode());
        }

        private long byCode() {
            return Math.max(0, penalty.blockedFor.getAsLong());
        }

        @Override
        public LimitReply reply(long granted, long blockedFor, long second, long third, long fourth) {
            return new Reply(granted, blockedFor);
        }

        @Override
        public OperationResult decide(Object stored, long now, long cost, List<LimitReply> replies) {
            State before = stored instanceof State state ? state : State.NONE, current = before.asOf(now);
            long byCode = byCode();
            boolean blocked = now < current.ends || byCode > 0;
            boolean counts = !blocked && penalty.counts() && isDeniedAfter(replies);
            boolean repairs = now < current.ends && now < before.began && kind != OperationKind.PEEK;
            State next = counts ? current.denied(now, penalty) : current;
            return new OperationResult(
                    new Reply(blocked || counts ? 0 : ALLOWED, Math.max(byCode, Math.max(0, next.ends - now))),
                    counts || repairs ? () -> next : null, next.expiresAt(penalty));
        }

        private boolean isDeniedAfter(List<LimitReply> before) {
            return before.subList(before.size() - Math.min(limits, before.size()), before.size()).stream()
                    .anyMatch(reply -> reply.granted() == 0);
        }
    }

    /**
     * The state of a key. All times are microseconds.
     *
     * @param began begin of the last block
     * @param length length of the last block; 0 if there was none
     * @param denials times of the last denials, oldest first
     */
    private record State(long began, long ends, long length, long[] denials) implements OperationResult.Weighted {

        /** This many denials take as much memory as a key. */
        private static final int DENIALS_PER_WEIGHT = 25;
        private static final State NONE = new State(0, 0, 0, new long[0]);

        /** Returns this state with no time in the future. */
        State asOf(long now) {
            long[] past = last() <= now ? denials : LongStream.of(denials).map(time -> Math.min(time, now)).toArray();
            return now < ends && now < began ? new State(now, now + ends - began, length, past)
                    : new State(began, ends, length, past);
        }

        private long last() {
            return denials.length == 0 ? 0 : denials[denials.length - 1];
        }

        /** Returns this state after a denial that counts. */
        State denied(long now, Penalty by) {
            int earlier = by.after - 1, known = denials.length;
            if (earlier == 0 || known >= earlier && now < denials[known - earlier] + by.within) {
                boolean isFurther = length > 0 && now < ends + by.maxBlock;
                long next = isFurther ? Math.min(2 * length, by.maxBlock) : by.block;
                return new State(now, now + next, next, NONE.denials);
            }
            return new State(began, ends, length, LongStream.concat(LongStream.of(denials), LongStream.of(now))
                    .skip(Math.max(0, known + 1 - earlier)).toArray());
        }

        long expiresAt(Penalty by) {
            return Math.max(ends + (length > 0 ? by.maxBlock : 0), denials.length > 0 ? last() + by.within : 0);
        }

        @Override
        public int weight() {
            return denials.length / DENIALS_PER_WEIGHT;
        }
    }
}
