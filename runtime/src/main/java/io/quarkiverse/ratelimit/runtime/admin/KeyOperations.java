package io.quarkiverse.ratelimit.runtime.admin;

import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.KeyAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.PolicyAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/** Runs operations on one key. */
record KeyOperations(PolicyAdmin policy, KeyAdmin admin, ReactiveRateLimiter limiter) {

    Uni<JsonObject> state() {
        return Uni.combine().all().unis(limiter.peek(), policy.overrides()).with((peeked, overrides) -> {
            JsonObject state = AdminJson.of(peeked);
            overrides.stream().filter(override -> override.key().orElse("").equals(peeked.key()))
                    .findFirst().ifPresent(override -> state.put("override", AdminJson.of(override)));
            return state;
        });
    }

    Uni<JsonObject> acquire(int cost) {
        return limiter.tryAcquire(cost).map(AdminJson::of);
    }

    Uni<Void> block(JsonInput body) {
        return admin.block(body.only("duration").duration("duration").orElseThrow(
                () -> new Problem(400, "duration is missing. Set it to the time for which the key is blocked, such as"
                        + " {\"duration\": \"10m\"}.")));
    }
}
