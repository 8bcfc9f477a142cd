package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.Administration.Blocked;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.StoredOverride;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.config.PolicyConfig.PenaltyConfig;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Writes limits and decisions as JSON: durations of limits in ISO 8601, times that pass in seconds. */
final class AdminJson {

    /** Largest number of overrides of a policy that are listed. There may be one for each caller. */
    private static final int MAX_OVERRIDES = 100;

    private AdminJson() {
    }

    static JsonObject of(Map<String, Limit> limits) {
        JsonObject json = new JsonObject();
        new TreeMap<>(limits).forEach((name, limit) -> json.put(name, of(limit)));
        return json;
    }

    private static JsonObject of(Limit limit) {
        JsonObject json = new JsonObject().put("algorithm", Policy.written(limit.algorithm())).put("permits", limit.permits());
        putIfPresent(json, "period", limit.period());
        if (limit.algorithm().has("burst")) {
            json.put("burst", limit.burst()).put("refill", Policy.written(limit.refill()));
        }
        if (!limit.maxWait().isZero()) {
            json.put("maxWait", limit.maxWait().toString());
        }
        if (limit.calendar() != null) {
            json.put("calendar", Policy.written(limit.calendar())).put("zone",
                    limit.zone().equals(ZoneOffset.UTC) ? "UTC" : limit.zone().getId());
        }
        putIfPresent(json, "leaseTime", limit.leaseTime());
        return limit.counts() == Counts.CALLS ? json.put("counts", Policy.written(limit.counts())) : json;
    }

    private static void putIfPresent(JsonObject json, String name, Duration value) {
        if (value != null) {
            json.put(name, value.toString());
        }
    }

    /** Writes the overrides of keys. */
    static JsonArray of(List<StoredOverride> overrides, PassedKey.Reader keys) {
        return new JsonArray(overrides.stream().filter(override -> override.key().isPresent()).limit(MAX_OVERRIDES)
                .map(override -> withValues(new JsonObject().put("key", override.storedKey()).mergeIn(of(override)),
                        keys.given(override.storedKey())))
                .toList());
    }

    /** Writes an override, a block or a shadow. */
    static JsonObject of(StoredOverride override) {
        JsonObject json = new JsonObject();
        if (!override.limits().isEmpty()) {
            json.put("limits", of(override.limits()));
        }
        override.timeLeft().ifPresent(left -> json.put("timeLeft", seconds(left)));
        return withChange(json, override.change());
    }

    private static JsonObject withChange(JsonObject json, Change change) {
        return change.at() == null ? json
                : json.put("reason", change.reason()).put("changedBy", change.by()).put("changedAt", change.at().toString());
    }

    static Optional<JsonObject> of(PenaltyConfig penalty) {
        return penalty.after().map(after -> new JsonObject().put("after", after)
                .put("within", penalty.within().orElseThrow().toString())
                .put("block", penalty.block().orElseThrow().toString())
                .put("maxBlock", penalty.maxBlock().or(penalty::block).orElseThrow().toString()));
    }

    static JsonObject of(Route route) {
        return new JsonObject().put("name", route.name()).put("paths", new JsonArray(route.paths()))
                .put("except", new JsonArray(route.except()))
                .put("methods", new JsonArray(route.methods().stream().sorted().toList()));
    }

    /** Writes a decision with the limits of its policy, without those of other policies of its chain. */
    static JsonObject of(RateLimitDecision decision) {
        JsonObject limits = new JsonObject();
        for (LimitState state : decision.limits()) {
            if (!state.policy().equals(decision.policy())) {
                continue;
            }
            limits.put(state.limit(), of(state.definition()).put("capacity", state.permits())
                    .put("remaining", state.remaining()).put("retryAfter", seconds(state.retryAfter()))
                    .put("nextPermitAfter", seconds(state.nextPermitAfter()))
                    .put("resetAfter", seconds(state.resetAfter())));
        }
        JsonObject json = new JsonObject().put("policy", decision.policy()).put("key", decision.key())
                .put("allowed", decision.allowed()).put("remaining", decision.remaining())
                .put("retryAfter", seconds(decision.retryAfter())).put("resetAfter", seconds(decision.resetAfter()))
                .put("source", Policy.written(decision.source()));
        decision.denialReason().ifPresent(reason -> json.put("denialReason", Policy.written(reason)));
        return json.put("limits", limits);
    }

    static JsonObject of(DeniedKey denied, PassedKey.Reader keys) {
        return withValues(new JsonObject().put("policy", denied.policy()).put("key", denied.key())
                .put("denials", denied.denials()), keys.given(denied.key()));
    }

    static JsonObject of(Blocked blocked, PassedKey.Reader keys) {
        return withValues(withChange(new JsonObject().put("key", blocked.key()).put("timeLeft", seconds(blocked.timeLeft()))
                .put("denialReason", Policy.written(blocked.reason())), blocked.change()), keys.given(blocked.key()));
    }

    /** Adds what operators can give in place of a key. */
    static JsonObject withValues(JsonObject json, Optional<List<String>> values) {
        values.ifPresent(given -> json.put("values", new JsonArray(given)));
        return json;
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
