package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;

/**
 * The permits that a call requests from every limit of a policy.
 *
 * @param cost number of permits, 0 to 10<sup>9</sup>; 0 for a call that each limit allows
 * @param least number of permits that must be available to allow the call; it gets a multiple of this number
 * @param id unique id of the call
 * @param refundable true if a refund is likely, so that it is worth tracking the call
 */
public record PermitRequest(long cost, long least, OperationKind kind, long id, boolean refundable) {

    /** Checks whether a call at a cost of 1 would be allowed, and charges nothing. */
    public static final PermitRequest PEEK = new PermitRequest(1, OperationKind.PEEK, 0);

    /** Charges nothing, and is allowed whatever is in use. */
    public static final PermitRequest FREE = new PermitRequest(0, OperationKind.PEEK, 0);

    public PermitRequest(long cost, OperationKind kind, long id) {
        this(cost, kind == OperationKind.ACQUIRE_UP_TO ? 1 : cost, kind, id, false);
    }

    /** Creates the request of a call whose id does not matter. */
    public static PermitRequest of(long cost) {
        return new PermitRequest(cost, OperationKind.ACQUIRE, 0);
    }

    /** Requests permits for later calls: a multiple of their cost, up to {@link Limit#MAX_PERMITS} in all. */
    public static PermitRequest prefetching(long permits, long cost) {
        long most = Limit.MAX_PERMITS - Limit.MAX_PERMITS % cost;
        return new PermitRequest(Math.min(permits, most), cost, OperationKind.PREFETCH, 0, true);
    }

    public PermitRequest asRefundable() {
        return refundable ? this : new PermitRequest(cost, least, kind, id, true);
    }

    /** Returns this request at another cost. */
    public PermitRequest costing(long other) {
        return cost == other ? this
                : new PermitRequest(other, kind == OperationKind.ACQUIRE_UP_TO ? 1 : other, kind, id, refundable);
    }

    public PermitRequest withId(long id) {
        return new PermitRequest(cost, least, kind, id, refundable);
    }

    /** Returns this request at a cost of 1. */
    public PermitRequest one() {
        return cost == 1 ? this : new PermitRequest(1, 1, kind, id, refundable);
    }

    /** Combines this number of equal calls into one. Its cost is at most just above {@link Limit#MAX_PERMITS}. */
    PermitRequest times(int calls) {
        return new PermitRequest(Math.min(calls, Limit.MAX_PERMITS / cost + 1) * cost, cost, OperationKind.ACQUIRE_UP_TO, id,
                refundable);
    }

    /** Returns how many of the {@code count} permits the call gets when this number is available; 1 for a free call. */
    public long granted(long count, long available, long capacity) {
        if (cost == 0) {
            return 1;
        }
        if (kind == OperationKind.PREFETCH) {
            return prefetched(count, available, capacity);
        }
        return count <= available || kind == OperationKind.CHARGE ? count
                : available < least ? 0 : available - available % least;
    }

    /** Calculates like {@code prefetch.lua}. */
    private long prefetched(long count, long available, long capacity) {
        long ahead = available < (capacity + 7) / 8 ? 0 : Math.min(count, available / 4);
        return ahead - ahead % least;
    }
}
