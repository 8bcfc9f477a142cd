package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.KeyAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.LimitsAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.PolicyAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Runs the operations that requests name. The result is JSON, or {@code null} for an empty response. */
@Singleton
record AdminOperations(ReactiveRateLimitAdmin admin, RateLimiters limiters, Settings settings, PolicyReferences references) {

    private static final int USUAL_COUNT = 10;

    /**
     * @param parameters of the query, by name; {@code null} for one that is missing
     * @param body of a {@code PUT}
     */
    Uni<JsonObject> run(String method, Target target, UnaryOperator<String> parameters, Supplier<JsonInput> body) {
        if (target.kind() == Target.Kind.POLICIES) {
            return policies();
        }
        Policy policy = policy(target.policy());
        PolicyAdmin ofPolicy = admin.policy(target.policy());
        boolean puts = method.equals("PUT");
        return switch (target.kind()) {
            case POLICIES, POLICY -> shown(policy);
            case MOST_DENIED -> ofPolicy.mostDenied(number("count", parameters, USUAL_COUNT))
                    .map(denied -> keys(policy, denied, AdminJson::of));
            case BLOCKED -> ofPolicy.blocked().map(blocked -> keys(policy, blocked, AdminJson::of));
            case POLICY_OVERRIDE -> override(ofPolicy, puts, policy, body);
            case KEY -> method.equals("DELETE") ? done(key(target).reset())
                    : target.isAcquired(method) ? limiter(target).tryAcquire(number("cost", parameters, 1)).map(AdminJson::of)
                            : state(ofPolicy, limiter(target));
            case KEY_OVERRIDE -> override(key(target), puts, policy, body);
            case KEY_BLOCK -> done(puts ? key(target).block(timeOfBlock(body.get())) : key(target).unblock());
        };
    }

    private Policy policy(String name) {
        Policy policy = settings.policies().get(name);
        if (policy == null) {
            throw new Problem(404, "No policy has the name \"" + name + "\". Configured policies: "
                    + (settings.policies().isEmpty() ? "none" : String.join(", ", settings.policies().keySet())) + '.');
        }
        return policy;
    }

    private KeyAdmin key(Target target) {
        return admin.policy(target.policy()).forKey(target.values());
    }

    private ReactiveRateLimiter limiter(Target target) {
        // checks that a caller can have this key
        key(target);
        return limiters.get(target.policy()).forKey(target.values()).reactive();
    }

    private static Uni<JsonObject> state(PolicyAdmin policy, ReactiveRateLimiter limiter) {
        return Uni.combine().all().unis(limiter.peek(), policy.overrides()).with((peeked, overrides) -> {
            JsonObject state = AdminJson.of(peeked);
            overrides.stream().filter(override -> override.key().orElse("").equals(peeked.key()))
                    .findFirst().ifPresent(override -> state.put("override", AdminJson.of(override)));
            return state;
        });
    }

    private static Duration timeOfBlock(JsonInput body) {
        return body.only("duration").duration("duration").orElseThrow(() -> new Problem(400, "duration is missing. Set it to"
                + " the time for which the key is blocked, such as {\"duration\": \"10m\"}."));
    }

    private static Uni<JsonObject> override(LimitsAdmin limits, boolean puts, Policy policy, Supplier<JsonInput> body) {
        if (!puts) {
            return done(limits.removeOverride());
        }
        JsonInput input = body.get();
        Map<String, Limit> changed = changed(policy, input);
        return done(input.duration("duration").map(duration -> limits.override(changed, duration))
                .orElseGet(() -> limits.override(changed)));
    }

    private Uni<JsonObject> policies() {
        return Multi.createFrom().iterable(settings.policies().values()).onItem().transformToUniAndConcatenate(this::shown)
                .collect().asList().map(policies -> {
                    JsonObject json = new JsonObject().put("policies", new JsonArray(policies));
                    return Access.LOCAL_DEVELOPMENT ? json.put("acquire", true) : json;
                });
    }

    private Uni<JsonObject> shown(Policy policy) {
        PolicyAdmin shown = admin.policy(policy.name());
        return Uni.combine().all().unis(shown.limits(), shown.overrides()).with((limits, overrides) -> new JsonObject()
                .put("name", policy.name()).put("enabled", settings.enabled() && policy.enabled())
                .put("mode", Policy.written(policy.mode())).put("key", new JsonArray(labels(policy)))
                .put("keyArguments", references.keyArguments(policy.name())).put("limits", AdminJson.of(limits))
                .put("overrides", AdminJson.of(overrides, labels(policy))));
    }

    /** The parts of the key; {@code key} where the policy has none, and each call gives its own. */
    private List<String> labels(Policy policy) {
        return policy.key() != null ? policy.key().parts()
                : references.keyArguments(policy.name()) == 0 ? List.of("key") : List.of();
    }

    private <T> JsonObject keys(Policy policy, List<T> keys, BiFunction<T, List<String>, JsonObject> written) {
        return new JsonObject().put("policy", policy.name())
                .put("keys", new JsonArray(keys.stream().map(key -> written.apply(key, labels(policy))).toList()));
    }

    private static int number(String name, UnaryOperator<String> parameters, int usual) {
        String text = parameters.apply(name);
        try {
            return text == null ? usual : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new Problem(400, name + " must be a whole number, but is " + text + '.');
        }
    }

    private static Uni<JsonObject> done(Uni<Void> operation) {
        return operation.replaceWith((JsonObject) null);
    }

    /**
     * The limits of an override that a client sent: {@code {"limits": {"default": {"permits": 20, "period": "1m"}}}}. A policy
     * with one limit also accepts {@code {"permits": 20}}. What is not given is as configured.
     */
    private static Map<String, Limit> changed(Policy policy, JsonInput body) {
        List<String> names = policy.limits().stream().map(PolicyLimit::name).toList();
        Map<String, Limit> changed = new HashMap<>();
        if (body.has("limits")) {
            JsonInput byName = body.only("limits", "duration").object("limits").only(names.toArray(String[]::new));
            policy.limits().stream().filter(limit -> byName.has(limit.name())).forEach(limit -> changed.put(limit.name(),
                    changed(limit.limit(), byName.object(limit.name()).only("permits", "period", "burst"))));
        } else if (names.size() == 1) {
            changed.put(names.get(0), changed(policy.limits().get(0).limit(),
                    body.only("limits", "permits", "period", "burst", "duration")));
        }
        if (changed.isEmpty()) {
            throw new Problem(400, "limits is missing or empty. Write {\"limits\": {\"" + names.get(0)
                    + "\": {\"permits\": 20}}}. Limits of policy " + policy.name() + ": " + String.join(", ", names) + '.');
        }
        return changed;
    }

    private static Limit changed(Limit limit, JsonInput input) {
        Optional<Long> permits = input.permits("permits");
        Optional<Duration> period = input.duration("period");
        Optional<Long> burst = input.permits("burst");
        boolean tokens = limit.algorithm().has("burst");
        if (permits.isEmpty() && period.isEmpty() && burst.isEmpty()) {
            throw new Problem(400, input.place() + "permits is missing. Give permits, period or burst.");
        }
        if (period.isPresent() && limit.period() == null || burst.isPresent() && !tokens) {
            throw new Problem(400, input.place() + (burst.isPresent() && !tokens ? "burst" : "period")
                    + " has no meaning for this limit. Leave it out.");
        }
        try {
            return LimitSpec.with(limit, permits.orElse(limit.permits()), period.orElse(limit.period()),
                    burst.orElse(tokens ? permits.orElse(limit.burst()) : limit.burst()));
        } catch (IllegalArgumentException outOfRange) {
            throw new Problem(400, input.place() + outOfRange.getMessage() + '.');
        }
    }
}
