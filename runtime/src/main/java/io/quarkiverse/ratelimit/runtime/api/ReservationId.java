package io.quarkiverse.ratelimit.runtime.api;

import static io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage.micros;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision.Details;
import io.quarkiverse.ratelimit.runtime.engine.limits.LimitsJson;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Writes what a reservation acquired as a text, so that another instance can settle it.
 *
 * @param instance the instance that decided it
 * @param ended whether it had ended when the text was written
 */
record ReservationId(Decision decision, String instance, boolean ended) {

    String text() {
        Decision charged = decision.asCharged();
        Map<String, Limit> limits = new HashMap<>();
        JsonArray states = new JsonArray();
        for (LimitState state : charged.limits()) {
            limits.put(state.limit(), state.definition());
            states.add(new JsonObject().put("limit", state.limit()).put("allowed", state.allowed())
                    .put("permits", state.permits()).put("remaining", state.remaining())
                    .put("delay", micros(state.delay())).put("retry", micros(state.retryAfter()))
                    .put("next", micros(state.nextPermitAfter())).put("reset", micros(state.resetAfter())));
        }
        String json = new JsonObject().put("policy", charged.policy()).put("key", charged.key())
                .put("allowed", charged.allowed()).put("granted", charged.granted()).put("source", charged.source())
                .put("at", charged.decidedAt()).put("id", charged.id()).put("instance", instance).put("ended", ended)
                .put("reason", charged.reason()).put("limits", LimitsJson.of(limits)).put("states", states).encode();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
    }

    /** @throws IllegalArgumentException when the text is not the id of a reservation of this policy */
    static ReservationId read(String id, Policy policy) {
        String made;
        ReservationId reserved;
        try {
            JsonObject json = new JsonObject(new String(Base64.getUrlDecoder().decode(id), UTF_8));
            made = requireNonNull(json.getString("policy"));
            reserved = read(json, policy);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "This is not the id of a reservation. Use what RateLimitReservation.id() returned.", e);
        }
        if (!policy.name().equals(made)) {
            throw new IllegalArgumentException("The reservation was made by policy " + made + ", not by policy "
                    + policy.name() + ". Use the limiter of that policy.");
        }
        return reserved;
    }

    private static ReservationId read(JsonObject json, Policy policy) {
        Map<String, Limit> limits = LimitsJson.read(json.getJsonObject("limits"));
        List<LimitState> states = new ArrayList<>();
        JsonArray texts = json.getJsonArray("states");
        for (int i = 0; i < texts.size(); i++) {
            JsonObject state = texts.getJsonObject(i);
            String name = state.getString("limit");
            states.add(new LimitUsage(name, limits.get(name), state.getBoolean("allowed"), state.getLong("permits"),
                    state.getLong("remaining"), state.getLong("delay"), state.getLong("retry"), state.getLong("next"),
                    state.getLong("reset")));
        }
        String key = requireNonNull(json.getString("key"));
        Source source = Source.valueOf(json.getString("source"));
        DenialReason reason = json.getString("reason") == null ? null : DenialReason.valueOf(json.getString("reason"));
        Policy appliedPolicy = source != Source.REDIS && source != Source.MEMORY ? policy : policy.withLimitsOf(states);
        Decision decision = states.isEmpty() ? Decision.uncounted(policy, key, json.getLong("granted"), source, reason)
                : new Decision(appliedPolicy, key, json.getBoolean("allowed"), json.getLong("granted"), source,
                        json.getLong("id"), Details.of(List.copyOf(states), reason, json.getInstant("at")));
        return new ReservationId(policy.mode() == Mode.SHADOW ? decision.inShadow() : decision, json.getString("instance"),
                json.getBoolean("ended", false));
    }
}
