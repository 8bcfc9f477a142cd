package io.quarkiverse.ratelimit.runtime.algorithm;

import io.quarkiverse.ratelimit.Limit;

/**
 * The permits that a call requests from every limit of a policy.
 *
 * @param cost number of permits, 1 to 10<sup>9</sup>
 * @param least number of permits that must be available to allow the call; it gets a multiple of this number
 * @param id unique id of the call
 * @param refundable whether a refund is likely, so that it is worth tracking the call
 */
public record PermitRequest(long cost, long least, OperationKind kind, long id, boolean refundable) {

    /** Checks whether a call at a cost of 1 would be allowed, and charges nothing. */
    public static final PermitRequest PEEK = new PermitRequest(1, OperationKind.PEEK, 0);

    public PermitRequest(long cost, OperationKind kind, long id) {
        this(cost, kind == OperationKind.ACQUIRE_UP_TO ? 1 : cost, kind, id, false);
    }

    /** A call whose id does not matter. */
    public static PermitRequest of(long cost) {
        return new PermitRequest(cost, OperationKind.ACQUIRE, 0);
    }

    /** Combines this call with permits for later calls: a multiple of the cost, up to {@link Limit#MAX_PERMITS} in all. */
    public PermitRequest prefetching(long ahead) {
        long most = Limit.MAX_PERMITS - Limit.MAX_PERMITS % cost;
        return new PermitRequest(Math.min(cost + ahead, most), cost, OperationKind.PREFETCH, id, true);
    }

    public PermitRequest asRefundable() {
        return refundable ? this : new PermitRequest(cost, least, kind, id, true);
    }

    public PermitRequest withId(long id) {
        return new PermitRequest(cost, least, kind, id, refundable);
    }

    /** The same call at a cost of 1. */
    public PermitRequest one() {
        return cost == 1 ? this : new PermitRequest(1, 1, kind, id, refundable);
    }

    /** Combines this number of equal calls into one. Its cost is at most just above {@link Limit#MAX_PERMITS}. */
    PermitRequest times(int calls) {
        return new PermitRequest(Math.min(calls, Limit.MAX_PERMITS / cost + 1) * cost, cost, OperationKind.ACQUIRE_UP_TO, id,
                refundable);
    }

    /** How many of the {@code count} requested permits the call gets when this number is available. */
    public long granted(long count, long available, long capacity) {
        if (kind == OperationKind.PREFETCH) {
            return prefetched(count, available, capacity);
        }
        return count <= available || kind == OperationKind.CHARGE ? count
                : available < least ? 0 : available - available % least;
    }

    /** As {@code prefetch.lua} explains. */
    private long prefetched(long count, long available, long capacity) {
        if (available < least) {
            return 0;
        }
        long ahead = Math.min(count - least, (available - least) / 4);
        return available < (capacity + 7) / 8 ? least : least + ahead - ahead % least;
    }
}
