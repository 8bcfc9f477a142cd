package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;

/**
 * Counts calls that run at the same time. {@code concurrency.lua} explains the algorithm and implements the same.
 *
 * <p>
 * A call renews its permits by a {@link OperationKind#CHARGE} with its own id.
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
    public Operation take(Call call) {
        return new Take(call);
    }

    @Override
    public Operation refund(LimitState taken, long at, long cost, long id) {
        return new Refund(cost, id);
    }

    @Override
    public LimitState state(String name, long[] reply, int at, long now, Call call, boolean charged) {
        boolean allowed = reply[at] > 0;
        long held = reply[at + 1] + (charged ? reply[at] - reply[at + 2] : 0);
        return new LimitUsage(name, limit, allowed, permits, Math.max(0, permits - held), Duration.ZERO,
                allowed || call.least() > permits ? Duration.ZERO : RETRY_AFTER, Duration.ZERO, Duration.ZERO);
    }

    private final class Take implements Operation {

        private final Call call;
        private final long cost;

        Take(Call call) {
            this.call = call;
            // a cost above the limit is denied anyway, so the exact number does not matter
            this.cost = call.manner() == OperationKind.CHARGE ? call.cost() : Math.min(call.cost(), permits + 1);
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
        public OperationResult decide(Object stored, long now, long less) {
            HeldPermits held = stored instanceof HeldPermits permitsHeld ? permitsHeld : new HeldPermits();
            long asked = less > 0 ? less : cost;
            long live = held.live(now);
            long own = held.own(call.id(), asked, now);
            long granted = call.granted(asked, permits - live + own);
            boolean peeks = call.manner() == OperationKind.PEEK;
            if (granted > 0 && !peeks) {
                return new OperationResult(granted,
                        () -> held.broughtForward(now).hold(call.id(), granted, now + leaseTime).settled(now),
                        Math.max(held.latest(now), now + leaseTime), live, own, 0, 0);
            }
            return new OperationResult(granted,
                    held.jumpedBack(now) > 0 && !peeks ? () -> held.broughtForward(now).settled(now) : null,
                    held.latest(now), live, own, 0, 0);
        }
    }

    /**
     * Releases permits.
     *
     * @param count number of permits
     * @param id the id of the call that holds them
     */
    private record Refund(long count, long id) implements RefundOperation {

        @Override
        public String script() {
            return SCRIPT;
        }

        @Override
        public byte[] arguments(long now) {
            return ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putInt((int) count).putLong(id).array();
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            if (!(stored instanceof HeldPermits held)) {
                return OperationResult.of(1, null, 0);
            }
            long own = held.own(id, held.live(now), now);
            return OperationResult.of(1, own == 0 ? null : () -> held.release(id, Math.max(0, own - count), own).settled(now),
                    held.latest(now));
        }
    }
}
