package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

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
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Runs the operations that requests name. The result is JSON, or {@code null} for an empty response. */
final class AdminOperations {

    private static final int USUAL_COUNT = 10;

    private final ReactiveRateLimitAdmin admin;
    private final RateLimiters limiters;
    private final Settings settings;
    private final PolicyReferences references;

    AdminOperations(ReactiveRateLimitAdmin admin, RateLimiters limiters, Settings settings, PolicyReferences references) {
        this.admin = admin;
        this.limiters = limiters;
        this.settings = settings;
        this.references = references;
    }

    /**
     * @param parameters of the query, by name; {@code null} for one that is missing
     * @param body of a {@code PUT}
     */
    Uni<JsonObject> run(String method, Target target, UnaryOperator<String> parameters, Supplier<JsonInput> body) {
        if (target.kind() == Target.Kind.POLICIES) {
            return policies();
        }
        Policy policy = policy(target.policy());
        boolean puts = method.equals("PUT");
        return switch (target.kind()) {
            case POLICIES, POLICY -> shown(policy);
            case MOST_DENIED -> admin(policy).mostDenied(number("count", parameters, USUAL_COUNT))
                    .map(denied -> keys(policy, denied, AdminJson::of));
            case BLOCKED -> admin(policy).blocked().map(blocked -> keys(policy, blocked, AdminJson::of));
            case POLICY_OVERRIDE -> done(override(admin(policy), puts, policy, body));
            case KEY -> method.equals("DELETE") ? done(key(target).reset())
                    : target.isAcquired(method) ? limiter(target).tryAcquire(number("cost", parameters, 1)).map(AdminJson::of)
                            : state(admin(policy), limiter(target));
            case KEY_OVERRIDE -> done(override(key(target), puts, policy, body));
            case KEY_BLOCK -> done(puts ? key(target).block(body.get().blockDuration()) : key(target).unblock());
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

    private PolicyAdmin admin(Policy policy) {
        return admin.policy(policy.name());
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

    private static Uni<Void> override(LimitsAdmin limits, boolean puts, Policy policy, Supplier<JsonInput> body) {
        if (!puts) {
            return limits.removeOverride();
        }
        OverrideInput input = OverrideInput.of(body.get(), policy);
        return input.duration() == null ? limits.override(input.limits())
                : limits.override(input.limits(), input.duration());
    }

    private Uni<JsonObject> policies() {
        // a combination of nothing never completes
        if (settings.policies().isEmpty()) {
            return Uni.createFrom().item(listed(List.of()));
        }
        return Uni.combine().all().unis(settings.policies().values().stream().map(this::shown).toList())
                .with(AdminOperations::listed);
    }

    private static JsonObject listed(List<?> policies) {
        JsonObject json = new JsonObject().put("policies", new JsonArray(new ArrayList<>(policies)));
        return Access.LOCAL_DEVELOPMENT ? json.put("acquire", true) : json;
    }

    private Uni<JsonObject> shown(Policy policy) {
        int arguments = references.keyArguments(policy.name());
        return admin(policy).limits()
                .chain(limits -> admin(policy).overrides().map(overrides -> new JsonObject().put("name", policy.name())
                        .put("enabled", settings.enabled() && policy.enabled()).put("mode", Policy.written(policy.mode()))
                        .put("key", new JsonArray(labels(policy))).put("keyArguments", arguments)
                        .put("limits", AdminJson.inForce(limits)).put("overrides", AdminJson.of(overrides, labels(policy)))));
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
     * An override that a client sent: {@code {"limits": {"default": {"permits": 20, "period": "1m"}}, "duration": "1h"}}. A
     * policy with one limit also accepts {@code {"permits": 20}}. What is not given is as configured.
     *
     * @param duration {@code null} for an override that applies until it is removed
     */
    private record OverrideInput(Map<String, Limit> limits, Duration duration) {

        static OverrideInput of(JsonInput body, Policy policy) {
            List<PolicyLimit> configured = policy.limits();
            Map<String, Limit> limits = new HashMap<>();
            if (body.has("limits")) {
                JsonInput byName = body.only("limits", "duration").object("limits")
                        .only(configured.stream().map(PolicyLimit::name).toArray(String[]::new));
                configured.stream().filter(limit -> byName.has(limit.name())).forEach(limit -> limits.put(limit.name(),
                        changed(limit.limit(), byName.object(limit.name()).only("permits", "period", "burst"))));
            } else if (configured.size() == 1) {
                limits.put(configured.get(0).name(), changed(configured.get(0).limit(),
                        body.only("limits", "permits", "period", "burst", "duration")));
            }
            if (limits.isEmpty()) {
                throw new Problem(400, "limits is missing or empty. Write {\"limits\": {\"" + configured.get(0).name()
                        + "\": {\"permits\": 20}}}. Limits of policy " + policy.name() + ": "
                        + String.join(", ", configured.stream().map(PolicyLimit::name).toList()) + '.');
            }
            return new OverrideInput(limits, body.duration("duration").orElse(null));
        }

        private static Limit changed(Limit limit, JsonInput input) {
            Optional<Long> permits = input.permits("permits");
            Optional<Duration> period = input.duration("period");
            Optional<Long> burst = input.permits("burst");
            if (permits.isEmpty() && period.isEmpty() && burst.isEmpty()) {
                throw new Problem(400, input.place() + "permits is missing. Give permits, period or burst.");
            }
            if (period.isPresent() && limit.period() == null) {
                throw new Problem(400, input.place() + "period has no meaning for this limit. Leave it out.");
            }
            boolean tokens = limit.algorithm().has("burst");
            if (burst.isPresent() && !tokens) {
                throw new Problem(400, input.place() + "burst has no meaning for this limit. Leave it out.");
            }
            try {
                return LimitSpec.of(limit).with(permits.orElse(limit.permits()), period.orElse(limit.period()),
                        burst.orElse(tokens ? permits.orElse(limit.burst()) : limit.burst())).toLimit();
            } catch (IllegalArgumentException outOfRange) {
                throw new Problem(400, input.place() + outOfRange.getMessage() + '.');
            }
        }
    }
}
