package io.quarkiverse.ratelimit.runtime.algorithm.concurrency;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;

/** Holds permits in memory until they are released or their lease ends, as the scripts of {@code concurrency} do in Redis. */
final class HeldPermits implements OperationResult.Weighted {

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
