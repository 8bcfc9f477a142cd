package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.Mergeable;
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
            Mergeable merging = limit.group() == LimitOperation.ENFORCED ? limit.operation().merging() : null;
            if (merging == null || cost > 0 && merging.cost() > 0 && merging.cost() != cost) {
                return false;
            }
            cost = Math.max(cost, merging.cost());
        }
        return true;
    }

    /** One request that acquires for this many equal ones. */
    static StoreRequest asOne(StoreRequest request, int count) {
        char group = request.operations().size() == 1 ? LimitOperation.ENFORCED : LimitOperation.EQUAL_GRANTS;
        List<LimitOperation> operations = new ArrayList<>(request.operations().size());
        for (LimitOperation limit : request.operations()) {
            operations.add(new LimitOperation(limit.key(), limit.operation().merging().times(count), group));
        }
        return new StoreRequest(operations);
    }

    /** Divides the reply to {@link #asOne} among the requests. They get permits in their order. */
    static List<StoreReply> divided(StoreRequest request, int count, StoreReply reply) {
        List<StoreReply> replies = new ArrayList<>(count);
        StoreReply rest = reply;
        StoreReply next = first(request, rest);
        replies.add(next);
        while (replies.size() < count) {
            // a denied request acquires nothing, so the same reply denies the next one
            if (request.allowedBy(next)) {
                rest = others(request, rest);
                next = first(request, rest);
            }
            replies.add(next);
        }
        return replies;
    }

    /** The reply to the first of the requests. */
    private static StoreReply first(StoreRequest request, StoreReply merged) {
        return each(request, merged, (reply, cost) -> reply.forFirst(cost, merged.time()));
    }

    /** The reply to the other requests, once the first was charged. */
    private static StoreReply others(StoreRequest request, StoreReply merged) {
        return each(request, merged, LimitReply::afterCharge);
    }

    private static StoreReply each(StoreRequest request, StoreReply merged, BiFunction<LimitReply, Long, LimitReply> part) {
        List<LimitReply> parts = new ArrayList<>(merged.limits().size());
        for (int i = 0; i < merged.limits().size(); i++) {
            parts.add(part.apply(merged.limits().get(i), request.operations().get(i).operation().merging().cost()));
        }
        return new StoreReply(merged.time(), parts);
    }
}
