package io.quarkiverse.ratelimit.runtime.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.function.LongSupplier;

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

    /**
     * The reply of a concurrency limit.
     *
     * @param held permits held by all calls
     * @param own permits that the call itself held, at most its cost
     */
    private record Reply(Concurrency rule, long granted, long held, long own) implements UsageReply {

        static Reply read(Concurrency rule, LongSupplier numbers) {
            Reply reply = new Reply(rule, numbers.getAsLong(), numbers.getAsLong(), numbers.getAsLong());
            numbers.getAsLong();
            numbers.getAsLong();
            return reply;
        }

        @Override
        public LimitState state(String name, Call call, long now, boolean charged) {
            boolean allowed = granted > 0;
            long held = this.held + (charged ? granted - own : 0), permits = rule.permits;
            return new LimitUsage(name, rule.limit, allowed, permits, Math.max(0, permits - held), Duration.ZERO,
                    allowed || call.least() > permits ? Duration.ZERO : RETRY_AFTER, Duration.ZERO, Duration.ZERO);
        }

        /** Permits come back when calls end, which is unknown. */
        @Override
        public LimitState refilledAfter(long micros, String name, Call call, long now, boolean charged) {
            return state(name, call, now, charged);
        }

        @Override
        public UsageReply first(long cost, long now) {
            throw new UnsupportedOperationException("Calls that hold permits are not merged");
        }

        @Override
        public UsageReply others(long cost) {
            throw new UnsupportedOperationException("Calls that hold permits are not merged");
        }
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
        public LimitReply reply(LongSupplier numbers) {
            return Reply.read(Concurrency.this, numbers);
        }

        @Override
        public OperationResult decide(Object stored, long now, long less) {
            HeldPermits held = stored instanceof HeldPermits permitsHeld ? permitsHeld : new HeldPermits();
            long asked = less > 0 ? less : cost;
            long live = held.live(now);
            long own = held.own(call.id(), asked, now);
            long granted = call.granted(asked, permits - live + own);
            Reply reply = new Reply(Concurrency.this, granted, live, own);
            boolean peeks = call.manner() == OperationKind.PEEK;
            if (granted > 0 && !peeks) {
                return new OperationResult(reply,
                        () -> held.broughtForward(now).hold(call.id(), granted, now + leaseTime).settled(now),
                        Math.max(held.latest(now), now + leaseTime));
            }
            return new OperationResult(reply,
                    held.jumpedBack(now) > 0 && !peeks ? () -> held.broughtForward(now).settled(now) : null,
                    held.latest(now));
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
                return OperationResult.allowed(null, 0);
            }
            long own = held.own(id, held.live(now), now);
            return OperationResult.allowed(own == 0 ? null : () -> held.release(id, Math.max(0, own - count), own).settled(now),
                    held.latest(now));
        }
    }
}
