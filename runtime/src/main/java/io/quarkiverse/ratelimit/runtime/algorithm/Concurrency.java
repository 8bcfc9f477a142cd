package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;

/**
 * Counts calls that run at the same time. The scripts of {@code concurrency} explain the algorithm and implement the same.
 *
 * <p>
 * A call renews its permits by a {@link OperationKind#CHARGE} with its own id.
 */
public record Concurrency(Limit limit, long permits, long leaseTime) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.CONCURRENCY_ACQUIRE, "ARGUMENTS");
    private static final Layout REFUND = Layout.of(ScriptFile.CONCURRENCY_REFUND, "REFUND");
    private static final long RETRY_AFTER = 1_000_000;

    public Concurrency(Limit limit) {
        this(limit, limit.permits(), LimitUsage.micros(limit.leaseTime()));
    }

    @Override
    public KeyLayout layout() {
        return KeyLayout.CONCURRENCY;
    }

    @Override
    public long fillTime(long now) {
        return 0;
    }

    @Override
    public AcquireOperation acquire(PermitRequest requested) {
        return new AcquireOperation(this, requested, ScriptFile.CONCURRENCY_ACQUIRE,
                ARGUMENTS.pack(requested.kind().ordinal(), requested.cost(), requested.least(), permits, leaseTime,
                        requested.id()));
    }

    @Override
    public UsageReply reply(long granted, long held, long heldByCall, long third, long fourth) {
        return new Reply(this, granted, held, heldByCall);
    }

    @Override
    public OperationResult decide(PermitRequest requested, long cost, Object stored, long now) {
        HeldPermits held = stored instanceof HeldPermits known ? known : new HeldPermits();
        long id = requested.id(), end = now + leaseTime;
        long live = held.live(now), heldByCall = held.heldBy(id, cost, now);
        long granted = requested.granted(cost, permits - live + heldByCall, permits);
        boolean repairs = held.jumpedBack(now) > 0;
        return new OperationResult(new Reply(this, granted, live, heldByCall),
                granted > 0 || repairs ? () -> held.broughtForward(now).hold(id, granted, end).settled(now) : null,
                granted > 0 ? Math.max(held.latest(now), end) : held.latest(now));
    }

    @Override
    public PlainOperation refund(LimitState decided, long at, long cost, long id) {
        return new PlainOperation(ScriptFile.CONCURRENCY_REFUND, () -> REFUND.pack(cost, id), (stored, now) -> {
            if (!(stored instanceof HeldPermits permits)) {
                return OperationResult.unchanged();
            }
            long held = permits.heldBy(id, permits.live(now), now);
            return OperationResult.allowed(
                    held == 0 ? null : () -> permits.release(id, Math.max(0, held - cost), held).settled(now),
                    permits.latest(now));
        });
    }

    /** Counts of permits before the call: those of all calls, and those of the call itself, at most its cost. */
    private record Reply(Concurrency rule, long granted, long held, long heldByCall) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            long held = this.held + (charged ? granted - heldByCall : 0), permits = rule.permits;
            return new LimitUsage(name, rule.limit, granted > 0, permits, Math.max(0, permits - held), 0,
                    granted > 0 || requested.least() > permits ? 0 : RETRY_AFTER, 0, 0);
        }
    }

    /** Holds permits in memory until they are released or their lease ends. */
    private static final class HeldPermits implements OperationResult.Weighted {

        /** End of the lease of each permit. */
        private final Map<Permit, Long> ends = new HashMap<>();
        /** No lease ends before the one or after the other. */
        private long earliest = Long.MAX_VALUE, latest;
        /** Time when permits were last acquired or renewed. */
        private long lastTime;

        private record Permit(long call, long index) {
        }

        /** Counts each permit, because a permit takes nearly as much memory as a key. */
        @Override
        public int weight() {
            return ends.size();
        }

        long live(long now) {
            return earliest > now ? ends.size() : ends.values().stream().filter(end -> end > now).count();
        }

        /** Returns how many permits the call holds, at most {@code most}. */
        long heldBy(long call, long most, long now) {
            long index = 0;
            while (index < most && ends.getOrDefault(new Permit(call, index), now) > now) {
                index++;
            }
            return index;
        }

        long latest(long now) {
            return ends.isEmpty() ? now : latest - jumpedBack(now);
        }

        /** Returns how far the clock has jumped back since permits were last acquired. */
        long jumpedBack(long now) {
            return ends.isEmpty() ? 0 : Math.max(0, lastTime - now);
        }

        /** Ends all leases earlier if the clock has jumped back, so that each keeps the time that it had left. */
        HeldPermits broughtForward(long now) {
            long jumped = jumpedBack(now);
            lastTime = now;
            if (jumped > 0) {
                ends.replaceAll((permit, end) -> end - jumped);
                earliest -= jumped;
                latest -= jumped;
            }
            return this;
        }

        HeldPermits hold(long call, long count, long until) {
            for (long index = 0; index < count; index++) {
                ends.put(new Permit(call, index), until);
            }
            earliest = Math.min(earliest, until);
            latest = Math.max(latest, until);
            return this;
        }

        HeldPermits release(long call, long from, long to) {
            for (long index = from; index < to; index++) {
                ends.remove(new Permit(call, index));
            }
            return this;
        }

        /** Removes expired leases; returns {@code null} if none is left. */
        HeldPermits settled(long now) {
            if (earliest <= now) {
                ends.values().removeIf(end -> end <= now);
                earliest = ends.isEmpty() ? now : Collections.min(ends.values());
            }
            return ends.isEmpty() ? null : this;
        }
    }
}
