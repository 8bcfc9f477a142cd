package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Writes limits and decisions as JSON: durations of limits in ISO 8601, times that pass in seconds. */
final class AdminJson {

    /** The most overrides of a policy that are listed. There may be one for each caller. */
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

    /** @param labels the parts of the policy's key */
    static JsonArray of(List<? extends RateLimitOverride> overrides, List<String> labels) {
        return new JsonArray(overrides.stream().limit(MAX_OVERRIDES)
                .map(override -> withValues(of(override), override.key().orElse(null), labels)).toList());
    }

    static JsonObject of(RateLimitOverride override) {
        JsonObject json = new JsonObject();
        override.key().ifPresent(key -> json.put("key", key));
        json.put("limits", of(override.limits()));
        override.timeLeft().ifPresent(left -> json.put("timeLeft", seconds(left)));
        return json;
    }

    static JsonObject of(RateLimitDecision peeked) {
        JsonObject limits = new JsonObject();
        for (LimitState state : peeked.limits()) {
            limits.put(state.limit(), of(state.definition()).put("capacity", state.permits())
                    .put("remaining", state.remaining()).put("retryAfter", seconds(state.retryAfter()))
                    .put("nextPermitAfter", seconds(state.nextPermitAfter()))
                    .put("resetAfter", seconds(state.resetAfter())));
        }
        JsonObject json = new JsonObject().put("policy", peeked.policy()).put("key", peeked.key())
                .put("allowed", peeked.allowed()).put("remaining", peeked.remaining())
                .put("retryAfter", seconds(peeked.retryAfter())).put("resetAfter", seconds(peeked.resetAfter()))
                .put("source", Policy.written(peeked.source()));
        peeked.denialReason().ifPresent(reason -> json.put("denialReason", Policy.written(reason)));
        return json.put("limits", limits);
    }

    static JsonObject of(DeniedKey denied, List<String> labels) {
        return withValues(new JsonObject().put("key", denied.key()).put("denials", denied.denials()), denied.key(), labels);
    }

    static JsonObject of(BlockedKey blocked, List<String> labels) {
        return withValues(new JsonObject().put("key", blocked.key()).put("timeLeft", seconds(blocked.timeLeft()))
                .put("reason", Policy.written(blocked.reason())), blocked.key(), labels);
    }

    /** Adds the plain values of a stored key, unless a part is a digest, or substitutes a missing part. */
    private static JsonObject withValues(JsonObject json, String key, List<String> labels) {
        if (key == null) {
            return json;
        }
        String[] parts = key.isEmpty() ? new String[0] : key.split("\\|", -1);
        JsonArray values = new JsonArray();
        for (int i = 0; i < Math.min(parts.length, labels.size()); i++) {
            String prefix = labels.get(i) + '=';
            if (parts[i].startsWith(prefix)) {
                values.add(parts[i].substring(prefix.length()));
            }
        }
        return Math.max(parts.length, labels.size()) == values.size() ? json.put("values", values) : json;
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }
}
