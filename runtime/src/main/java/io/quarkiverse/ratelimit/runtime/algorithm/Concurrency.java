package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/**
 * Counts calls that run at the same time; {@code concurrency.lua} explains the algorithm and does the same.
 *
 * <p>
 * A call renews what it holds by a {@link Manner#CHARGE} with its own id.
 */
record Concurrency(Limit limit, long permits, long leaseTime) implements LimitRule {

    private static final String SCRIPT = "concurrency";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    Concurrency(Limit limit) {
        this(limit, limit.permits(), limit.leaseTime().toNanos() / 1000);
    }

    @Override
    public long fillTime(long now) {
        return 0;
    }

    @Override
    public Act take(Call call) {
        return new Take(call);
    }

    @Override
    public Act giveBack(LimitState taken, long at, long cost, long id) {
        return new GiveBack(cost, id);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean admitted = reply[at] > 0;
        long held = reply[at + 1] + (charged ? reply[at] - reply[at + 2] : 0);
        return new LimitState(name, limit, admitted, permits, Math.max(0, permits - held), Duration.ZERO,
                admitted || call.least() > permits ? Duration.ZERO : RETRY_AFTER, Duration.ZERO, Duration.ZERO);
    }

    private final class Take implements Act {

        private final Call call;
        private final long cost;

        Take(Call call) {
            this.call = call;
            // more than there can be is refused all the same, and need not be counted
            this.cost = call.manner() == Manner.CHARGE ? call.cost() : Math.min(call.cost(), permits + 1);
        }

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(29).order(ByteOrder.LITTLE_ENDIAN).put((byte) call.manner().ordinal())
                    .putInt((int) cost).putInt((int) call.least()).putInt((int) permits).putDouble(leaseTime).putLong(call.id())
                    .array();
        }

        @Override
        public Verdict decide(Object stored, long now, long less) {
            HeldPermits held = stored instanceof HeldPermits permitsHeld ? permitsHeld : new HeldPermits();
            long asked = less > 0 ? less : cost;
            long live = held.live(now);
            long own = held.own(call.id(), asked, now);
            long granted = call.granted(asked, permits - live + own);
            boolean peeks = call.manner() == Manner.PEEK;
            if (granted > 0 && !peeks) {
                return new Verdict(granted,
                        () -> held.broughtForward(now).hold(call.id(), granted, now + leaseTime).settled(now),
                        Math.max(held.latest(now), now + leaseTime), live, own, 0, 0);
            }
            return new Verdict(granted, held.jumpedBack(now) > 0 && !peeks ? () -> held.broughtForward(now).settled(now) : null,
                    held.latest(now), live, own, 0, 0);
        }
    }

    /**
     * Gives permits back.
     *
     * @param count how many
     * @param id the id of the call that holds them
     */
    private record GiveBack(long count, long id) implements GiveBackAct {

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putInt((int) count).putLong(id).array();
        }

        @Override
        public Verdict decide(Object stored, long now, long less) {
            if (!(stored instanceof HeldPermits held)) {
                return Verdict.of(1, null, 0);
            }
            long own = held.own(id, held.live(now), now);
            return Verdict.of(1, own == 0 ? null : () -> held.release(id, Math.max(0, own - count), own).settled(now),
                    held.latest(now));
        }
    }
}
