package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import io.quarkiverse.ratelimit.Limit;

/** Holds permits in memory until they are given back or come back by themselves, as {@code concurrency.lua} does in Redis. */
final class HeldPermits implements Growing {

    private static final long MAX_LEASE = Limit.MAX_LEASE_TIME.toNanos() / 1000;

    private final Map<Permit, Lease> leases = new HashMap<>();
    private final TreeSet<Lease> byEnd = new TreeSet<>(Comparator.comparingLong(Lease::comesBack)
            .thenComparingLong(lease -> lease.permit.call).thenComparingLong(lease -> lease.permit.index));

    /** One permit of a call. */
    private record Permit(long call, long index) {
    }

    private record Lease(Permit permit, long comesBack) {

        /** Is before all that come back later than this. */
        static Lease after(long time) {
            return new Lease(new Permit(Long.MIN_VALUE, 0), time + 1);
        }
    }

    /** One permit takes nearly as much as a key. */
    @Override
    public int weight() {
        return leases.size();
    }

    /** How many are held. */
    long live(long now) {
        return leases.size() - byEnd.headSet(Lease.after(now)).size();
    }

    /** How many the call holds, up to so many. */
    long own(long call, long most, long now) {
        long own = 0;
        while (own < most) {
            Lease lease = leases.get(new Permit(call, own));
            if (lease == null || lease.comesBack <= now) {
                break;
            }
            own++;
        }
        return own;
    }

    /** When the last one comes back, at the latest after the longest lease. */
    long latest(long now) {
        return byEnd.isEmpty() ? now : Math.min(byEnd.last().comesBack, now + MAX_LEASE);
    }

    /** Whether one was taken before the clock jumped back. */
    boolean isAhead(long now) {
        return !byEnd.isEmpty() && byEnd.last().comesBack > now + MAX_LEASE;
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

    /** Forgets what has come back, and repairs what was taken before the clock jumped back; {@code null} if none is left. */
    HeldPermits settled(long now) {
        while (!byEnd.isEmpty() && byEnd.first().comesBack <= now) {
            leases.remove(byEnd.pollFirst().permit);
        }
        for (Lease ahead : List.copyOf(byEnd.tailSet(Lease.after(now + MAX_LEASE)))) {
            put(ahead.permit, now + MAX_LEASE);
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
