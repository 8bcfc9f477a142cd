package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;

/** Merges equal requests into one for the script, and divides its reply among them. */
final class EqualRequests {

    private EqualRequests() {
    }

    /**
     * Whether several of these requests can be merged. All their limits then have the same cost, so that they can grant
     * equally.
     */
    static boolean areMergeable(StoreRequest request) {
        long cost = 0;
        for (LimitOperation limit : request.operations()) {
            long other = limit.operation().cost();
            if (limit.group() != LimitOperation.ENFORCED || !limit.operation().isMergeable()
                    || cost > 0 && other > 0 && other != cost) {
                return false;
            }
            cost = Math.max(cost, other);
        }
        return true;
    }

    /** One request that acquires for this many equal ones. */
    static StoreRequest asOne(StoreRequest request, int count) {
        char group = request.operations().size() == 1 ? LimitOperation.ENFORCED : LimitOperation.EQUAL_GRANTS;
        List<LimitOperation> operations = new ArrayList<>(request.operations().size());
        for (LimitOperation limit : request.operations()) {
            operations.add(new LimitOperation(limit.key(), limit.operation().times(count), group));
        }
        return new StoreRequest(operations);
    }

    /** Divides the reply to {@link #asOne} among the requests. They get permits in their order. */
    static List<StoreReply> divided(StoreRequest request, int count, StoreReply reply) {
        List<StoreReply> replies = new ArrayList<>(count);
        StoreReply next = part(request, reply, 0);
        replies.add(next);
        while (replies.size() < count) {
            // a denied request acquires nothing, so the same reply denies the next one
            if (request.allowedBy(next)) {
                next = part(request, reply, replies.size());
            }
            replies.add(next);
        }
        return replies;
    }

    /** The reply to the request that comes after so many allowed ones. */
    private static StoreReply part(StoreRequest request, StoreReply merged, int allowed) {
        List<LimitReply> parts = new ArrayList<>(merged.limits().size());
        for (int i = 0; i < merged.limits().size(); i++) {
            long cost = request.operations().get(i).operation().cost();
            parts.add(merged.limits().get(i).toOne(cost, cost * allowed, merged.time()));
        }
        return new StoreReply(merged.time(), parts);
    }
}
