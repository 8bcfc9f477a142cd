package io.quarkiverse.ratelimit.runtime.engine.pauses;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.memory.LocalStore;
import io.smallrye.mutiny.Uni;

/**
 * Empties the buckets of paused keys, so that calls go at the pace of the limit after the pause. Each policy is the one in
 * force for the key.
 *
 * @param replicas number of instances that share the limits when each counts for itself
 */
public record PausedBuckets(LimitStore shared, LocalStore local, int replicas) {

    /**
     * Empties the buckets at the end of a pause: those of this instance if the store fails.
     *
     * @param before for how long the key was paused already
     */
    public Uni<Void> emptyAfter(Policy policy, String key, Duration before, Duration pause) {
        long micros = LimitUsage.micros(pause) - LimitUsage.micros(before);
        if (micros <= 0) {
            return Uni.createFrom().voidItem();
        }
        Function<LimitRule, Stream<Operation>> change = bucket -> Stream.of(all(bucket), bucket.chargeRefill(micros));
        return changed(shared, policy, key, change).onFailure().call(() -> changedHere(policy, key, change));
    }

    /** Empties the buckets when a pause ends before its time, whatever it has charged. */
    public Uni<Void> emptyNow(Policy policy, String key) {
        return changed(shared, policy, key, PausedBuckets::emptied);
    }

    /** Empties the buckets of this instance when a pause ends before its time. */
    public Uni<Void> emptyHere(Policy policy, String key) {
        return changedHere(policy, key, PausedBuckets::emptied);
    }

    private static Stream<Operation> emptied(LimitRule bucket) {
        return Stream.of(PlainOperation.RESET, all(bucket));
    }

    private static Operation all(LimitRule bucket) {
        return bucket.acquire(new PermitRequest(bucket.limit().burst(), OperationKind.ACQUIRE_UP_TO, 0).asRefundable());
    }

    private Uni<Void> changedHere(Policy policy, String key, Function<LimitRule, Stream<Operation>> change) {
        return policy.onRedisFailure() != OnRedisFailure.LOCAL ? Uni.createFrom().voidItem()
                : changed(local, policy.dividedBy(replicas), key, change);
    }

    private static Uni<Void> changed(LimitStore store, Policy policy, String key,
            Function<LimitRule, Stream<Operation>> change) {
        List<Uni<Void>> changed = new ArrayList<>(1);
        for (PolicyLimit limit : policy.limits()) {
            if (limit.isBucket()) {
                LimitKey changedKey = new LimitKey(policy.name(), limit.storedName(), key);
                changed.add(change.apply(limit.rule())
                        .map(operation -> new StoreRequest(List.of(new LimitOperation(changedKey, operation))))
                        .map(request -> store.decide(request).replaceWithVoid())
                        .reduce(Uni.createFrom().voidItem(), (earlier, next) -> earlier.chain(() -> next)));
            }
        }
        return Uni.join().all(changed).andCollectFailures().replaceWithVoid();
    }
}
