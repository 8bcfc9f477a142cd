package io.quarkiverse.ratelimit.runtime.algorithm.concurrency;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.Layout;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;

/**
 * Counts calls that run at the same time. The scripts of {@code concurrency} explain the algorithm and implement the same.
 *
 * <p>
 * A call renews its permits by a {@link OperationKind#CHARGE} with its own id.
 */
public record Concurrency(Limit limit, long permits, long leaseTime) implements LimitRule {

    private static final Layout ARGUMENTS = Layout.of(ScriptFile.CONCURRENCY_ACQUIRE, "ARGUMENTS");
    private static final Layout REFUND = Layout.of(ScriptFile.CONCURRENCY_REFUND, "REFUND");
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    public Concurrency(Limit limit) {
        this(limit, limit.permits(), LimitUsage.micros(limit.leaseTime()));
    }

    @Override
    public long fillTime(long now) {
        return 0;
    }

    @Override
    public Operation acquire(PermitRequest requested) {
        // a cost above the limit is denied anyway, so the exact number does not matter
        return new Acquire(this, requested,
                requested.kind() == OperationKind.CHARGE ? requested.cost() : Math.min(requested.cost(), permits + 1));
    }

    @Override
    public Operation refund(LimitState decided, long at, long cost, long id) {
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

    /**
     * The reply of a concurrency limit.
     *
     * @param held permits held by all calls
     * @param heldByCall permits that the call itself held, at most its cost
     */
    private record Reply(Concurrency rule, long granted, long held, long heldByCall) implements UsageReply {

        @Override
        public LimitState state(String name, PermitRequest requested, long now, boolean charged) {
            boolean allowed = granted > 0;
            long held = this.held + (charged ? granted - heldByCall : 0), permits = rule.permits;
            return new LimitUsage(name, rule.limit, allowed, permits, Math.max(0, permits - held), Duration.ZERO,
                    allowed || requested.least() > permits ? Duration.ZERO : RETRY_AFTER, Duration.ZERO, Duration.ZERO);
        }

        @Override
        public UsageReply forFirst(long cost, long now) {
            throw new UnsupportedOperationException("Calls that hold permits are not merged");
        }

        @Override
        public UsageReply afterCharge(long cost) {
            throw new UnsupportedOperationException("Calls that hold permits are not merged");
        }
    }

    private record Acquire(Concurrency rule, PermitRequest requested, long cost) implements Operation {

        @Override
        public ScriptFile function() {
            return ScriptFile.CONCURRENCY_ACQUIRE;
        }

        @Override
        public byte[] arguments(long now) {
            return ARGUMENTS.pack(requested.kind().ordinal(), cost, requested.least(), rule.permits, rule.leaseTime,
                    requested.id());
        }

        @Override
        public LimitReply reply(long granted, long held, long heldByCall, long third, long fourth) {
            return new Reply(rule, granted, held, heldByCall);
        }

        @Override
        public OperationResult decide(Object stored, long now, long newCost) {
            HeldPermits permits = stored instanceof HeldPermits held ? held : new HeldPermits();
            long id = requested.id(), count = newCost > 0 ? newCost : cost, end = now + rule.leaseTime;
            long live = permits.live(now), heldByCall = permits.heldBy(id, count, now);
            long granted = requested.granted(count, rule.permits - live + heldByCall);
            Reply reply = new Reply(rule, granted, live, heldByCall);
            boolean peeks = requested.kind() == OperationKind.PEEK;
            if (granted > 0 && !peeks) {
                return new OperationResult(reply,
                        () -> permits.broughtForward(now).hold(id, granted, end).settled(now),
                        Math.max(permits.latest(now), end));
            }
            boolean repairs = permits.jumpedBack(now) > 0 && !peeks;
            return new OperationResult(reply, repairs ? () -> permits.broughtForward(now).settled(now) : null,
                    permits.latest(now));
        }
    }

    /**
     * Holds permits in memory until they are released or their lease ends, as the scripts of {@code concurrency} do in Redis.
     */
    private static final class HeldPermits implements OperationResult.Weighted {

        private final Map<Permit, Lease> leases = new HashMap<>();
        private final TreeSet<Lease> byEnd = new TreeSet<>(Comparator.comparingLong(Lease::endsAt)
                .thenComparingLong(lease -> lease.permit.call).thenComparingLong(lease -> lease.permit.index));
        /** When permits were last acquired or renewed. */
        private long lastTime;

        /** One permit of a call. */
        private record Permit(long call, long index) {
        }

        private record Lease(Permit permit, long endsAt) {

            /** A lease that sorts before all leases that end after this time. */
            static Lease after(long time) {
                return new Lease(new Permit(Long.MIN_VALUE, 0), time + 1);
            }
        }

        /** One permit takes nearly as much memory as a key. */
        @Override
        public int weight() {
            return leases.size();
        }

        /** How many permits are held. */
        long live(long now) {
            return leases.size() - byEnd.headSet(Lease.after(now)).size();
        }

        /** How many permits the call holds, at most {@code most}. */
        long heldBy(long call, long most, long now) {
            long count = 0;
            while (count < most) {
                Lease lease = leases.get(new Permit(call, count));
                if (lease == null || lease.endsAt <= now) {
                    break;
                }
                count++;
            }
            return count;
        }

        /** When the last lease ends. */
        long latest(long now) {
            return byEnd.isEmpty() ? now : byEnd.last().endsAt - jumpedBack(now);
        }

        /** How far the clock has jumped back since permits were last acquired. */
        long jumpedBack(long now) {
            return byEnd.isEmpty() ? 0 : Math.max(0, lastTime - now);
        }

        /** If the clock has jumped back, ends all leases earlier, so that each keeps the time that it had left. */
        HeldPermits broughtForward(long now) {
            long jumped = jumpedBack(now);
            lastTime = now;
            if (jumped > 0) {
                for (Lease lease : new ArrayList<>(byEnd)) {
                    put(lease.permit, lease.endsAt - jumped);
                }
            }
            return this;
        }

        HeldPermits hold(long call, long count, long until) {
            for (long index = 0; index < count; index++) {
                put(new Permit(call, index), until);
            }
            return this;
        }

        HeldPermits release(long call, long from, long to) {
            for (long index = from; index < to; index++) {
                byEnd.remove(leases.remove(new Permit(call, index)));
            }
            return this;
        }

        /** Removes expired leases; returns {@code null} if none is left. */
        HeldPermits settled(long now) {
            while (!byEnd.isEmpty() && byEnd.first().endsAt <= now) {
                leases.remove(byEnd.pollFirst().permit);
            }
            return leases.isEmpty() ? null : this;
        }

        private void put(Permit permit, long until) {
            Lease lease = new Lease(permit, until);
            Lease before = leases.put(permit, lease);
            if (before != null) {
                byEnd.remove(before);
            }
            byEnd.add(lease);
        }
    }
}
