package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;

/**
 * Holds a store's reply to a request.
 *
 * @param time time of the decision by the store's clock, microseconds since the epoch
 * @param limits reply to every operation, also to that of a penalty, in the order of the request
 */
public record StoreReply(long time, List<LimitReply> limits) {

    /** Returns whether these limits all allow the call. */
    public boolean allows(int first, int count) {
        for (int i = first; i < first + count; i++) {
            if (limits.get(i).granted() == 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the lowest number of permits that a limit grants. */
    public long least() {
        return limits.stream().mapToLong(LimitReply::granted).min().orElse(0);
    }

    /** Returns how long the key is blocked; zero if it is not, or if this reply is not that of a penalty. */
    public Duration blockedFor(int index) {
        return limits.get(index) instanceof Penalty.Reply penalty ? LimitUsage.micros(penalty.blockedFor()) : Duration.ZERO;
    }

    /** Returns the reply of a limit from which permits were requested. */
    public UsageReply usage(int index) {
        return (UsageReply) limits.get(index);
    }
}
