package io.quarkiverse.ratelimit.runtime.engine.decision;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply.UsageReply;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Call.KeyedCharge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;

/**
 * The details of a decision that a store made, calculated when something first needs them. Two threads may both do so,
 * with the same result.
 */
final class ReplyDetails implements Decision.Calculation {

    final KeyedCharge keyed;
    final StoreReply reply;
    final boolean charged;
    private final Source source;
    /** How many microseconds after the reply the details apply, as if no other call was counted since. */
    final long age;
    private DenialReason reason;
    private List<LimitState> states;
    private Details calculated;

    ReplyDetails(KeyedCharge keyed, StoreReply reply, boolean charged, Source source, long age) {
        this.keyed = keyed;
        this.reply = reply;
        this.charged = charged;
        this.source = source;
        this.age = age;
    }

    /** The details by another source and at another time. A cached denial is repeated with the reason that is known. */
    ReplyDetails by(Source other, long otherAge) {
        ReplyDetails details = new ReplyDetails(keyed, reply, charged, other, otherAge);
        details.reason = reason;
        return details;
    }

    /** The states of the limits. The headers of a response need nothing else. */
    @Override
    public List<LimitState> limits() {
        List<LimitState> known = states;
        if (known == null) {
            Duration block = keyed.allowedBy(reply) ? Duration.ZERO : keyed.blockedFor(reply);
            LimitState[] all = new LimitState[keyed.charge().limitRequests.size()];
            for (int i = 0; i < all.length; i++) {
                all[i] = state(i, block);
            }
            known = List.of(all);
            states = known;
        }
        return known;
    }

    @Override
    public Details details() {
        Details known = calculated;
        if (known == null) {
            known = Details.of(limits(), keyed.allowedBy(reply) ? null : reason(),
                    Instant.EPOCH.plus(reply.time() + age, ChronoUnit.MICROS));
            calculated = known;
        }
        return known;
    }

    private LimitState state(int limit, Duration block) {
        String name = keyed.charge().names.get(limit);
        PermitRequest requested = keyed.charge().limitRequests.get(limit);
        LimitState decided = reply.usage(keyed.offset() + limit).state(name, requested, reply.time(), charged);
        LimitState state = block.isZero() ? decided : LimitUsage.blocked(decided, block);
        return age == 0 ? state : later(state, reply.usage(keyed.offset() + limit));
    }

    private LimitState later(LimitState state, UsageReply usage) {
        return switch (source) {
            // the store does not know which prefetched permits were handed out since, so none that came back are added
            case PREFETCHED -> LimitUsage.later(state, age, state.remaining(), state.nextPermitAfter());
            case DENIAL_CACHE -> LimitUsage.later(state, age, state.remaining(),
                    LimitUsage.less(state.nextPermitAfter(), age));
            case REDIS, MEMORY, FALLBACK, NOT_LIMITED -> usage.later(state, age, reply.time(), charged);
        };
    }

    @Override
    public DenialReason reason() {
        DenialReason known = reason;
        if (known == null) {
            known = LimitUsage.determining(limits()).retryAfter().isZero() ? DenialReason.COST_ABOVE_CAPACITY
                    : keyed.blockedFor(reply).isZero() ? DenialReason.LIMIT_REACHED : keyed.policy().reasonOfBlock();
            reason = known;
        }
        return known;
    }
}
