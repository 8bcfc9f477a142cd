package io.quarkiverse.ratelimit.runtime.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
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
        Decision decision = this.decision.asCharged();
        Map<String, Limit> limits = new HashMap<>();
        JsonArray states = new JsonArray();
        for (LimitState state : decision.limits()) {
            limits.put(state.limit(), state.definition());
            states.add(new JsonObject().put("limit", state.limit()).put("allowed", state.allowed())
                    .put("permits", state.permits()).put("remaining", state.remaining())
                    .put("delay", state.delay().toString()).put("retry", state.retryAfter().toString())
                    .put("next", state.nextPermitAfter().toString()).put("reset", state.resetAfter().toString()));
        }
        String json = new JsonObject().put("policy", decision.policy()).put("limit", decision.limit())
                .put("key", decision.key())
                .put("allowed", decision.allowed()).put("granted", decision.granted()).put("source", decision.source().name())
                .put("permits", decision.permits()).put("remaining", decision.remaining())
                .put("delay", decision.delay().toString()).put("retry", decision.retryAfter().toString())
                .put("reset", decision.resetAfter().toString())
                .put("at", decision.decidedAt().toString()).put("id", decision.id()).put("instance", instance)
                .put("ended", ended)
                .put("reason", decision.denialReason().map(Enum::name).orElse(null))
                .put("limits", LimitsJson.of(limits)).put("states", states).encode();
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
                    state.getLong("remaining"), duration(state, "delay"), duration(state, "retry"), duration(state, "next"),
                    duration(state, "reset")));
        }
        Source source = Source.valueOf(json.getString("source"));
        Policy appliedPolicy = source != Source.REDIS && source != Source.MEMORY ? policy : policy.withLimitsOf(states);
        Details details = new Details(json.getString("limit"), json.getLong("permits"), json.getLong("remaining"),
                duration(json, "delay"), duration(json, "retry"), duration(json, "reset"), List.copyOf(states),
                json.getString("reason") == null ? null : DenialReason.valueOf(json.getString("reason")),
                Instant.parse(json.getString("at")));
        return new ReservationId(new Decision(appliedPolicy, requireNonNull(json.getString("key")), json.getBoolean("allowed"),
                json.getLong("granted"), source, json.getLong("id"), details), json.getString("instance"),
                json.getBoolean("ended", false));
    }

    private static Duration duration(JsonObject values, String name) {
        return Duration.parse(values.getString(name));
    }
}
