package io.quarkiverse.ratelimit.runtime.redis;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.Mergeable;
import io.quarkiverse.ratelimit.runtime.store.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.PolicyRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;

/** Merges equal requests into one for the script, and divides its reply among them. */
final class EqualRequests {

    private EqualRequests() {
    }

    /**
     * Whether several of these requests can be merged. All their limits then have the same cost, so that they can grant
     * equally.
     */
    static boolean areMergeable(StoreRequest request) {
        if (request.equalGrants()) {
            return false;
        }
        long cost = 0;
        for (PolicyRequest policy : request.parts()) {
            if (policy.shadow()) {
                return false;
            }
            for (LimitOperation limit : policy.operations()) {
                Mergeable merging = limit.operation().merging();
                if (merging == null || cost > 0 && merging.cost() > 0 && merging.cost() != cost) {
                    return false;
                }
                cost = Math.max(cost, merging.cost());
            }
        }
        return true;
    }

    /** Whether two mergeable requests have the same operations on the same keys. */
    static boolean areEqual(StoreRequest one, StoreRequest other) {
        if (one.parts().size() != other.parts().size()) {
            return false;
        }
        for (int i = 0; i < one.parts().size(); i++) {
            PolicyRequest its = one.parts().get(i), others = other.parts().get(i);
            if (!its.key().equals(others.key()) || !its.policy().name().equals(others.policy().name())
                    || !its.operations().equals(others.operations())) {
                return false;
            }
        }
        return true;
    }

    /** Equal for equal requests. Includes only the first operation, so it takes no longer than the hash of a string. */
    static int hash(StoreRequest request) {
        PolicyRequest first = request.parts().get(0);
        return (first.policy().name().hashCode() * 31 + first.key().hashCode()) * 31
                + first.operations().get(0).operation().hashCode();
    }

    /** One request that acquires for this many equal ones. */
    static StoreRequest asOne(StoreRequest request, int count) {
        List<PolicyRequest> all = new ArrayList<>(request.parts().size());
        for (PolicyRequest policy : request.parts()) {
            List<LimitOperation> operations = new ArrayList<>(policy.operations().size());
            for (LimitOperation limit : policy.operations()) {
                operations.add(new LimitOperation(limit.name(), limit.operation().merging().times(count)));
            }
            all.add(new PolicyRequest(policy.policy(), policy.requested(), policy.key(), operations));
        }
        return new StoreRequest(all, request.operationCount() > 1, request.id());
    }

    /** Completes all requests. They get permits in their order. */
    static void complete(List<PendingRequest> requests, StoreReply reply) {
        StoreRequest request = requests.get(0).request;
        StoreReply rest = reply;
        StoreReply own = first(request, rest);
        requests.get(0).complete(own);
        for (int i = 1; i < requests.size(); i++) {
            // a denied request acquires nothing, so the same reply denies the next one
            if (request.allowedBy(own)) {
                rest = others(request, rest);
                own = first(request, rest);
            }
            requests.get(i).complete(own);
        }
    }

    /** The reply to the first of the requests. */
    private static StoreReply first(StoreRequest request, StoreReply merged) {
        List<LimitReply> first = new ArrayList<>(merged.limits().size());
        for (PolicyRequest policy : request.parts()) {
            for (LimitOperation limit : policy.operations()) {
                first.add(merged.limits().get(first.size()).forFirst(limit.operation().merging().cost(), merged.time()));
            }
        }
        return new StoreReply(merged.time(), first);
    }

    /** The reply to the other requests, once the first was charged. */
    private static StoreReply others(StoreRequest request, StoreReply merged) {
        List<LimitReply> others = new ArrayList<>(merged.limits().size());
        for (PolicyRequest policy : request.parts()) {
            for (LimitOperation limit : policy.operations()) {
                others.add(merged.limits().get(others.size()).afterCharge(limit.operation().merging().cost()));
            }
        }
        return new StoreReply(merged.time(), others);
    }
}
