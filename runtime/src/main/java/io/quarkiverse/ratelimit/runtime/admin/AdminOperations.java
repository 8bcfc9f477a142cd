package io.quarkiverse.ratelimit.runtime.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.KeyAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.LimitsAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin.PolicyAdmin;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
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
     * @param count how many denied keys to list; {@code null} for the usual number
     * @param body of a {@code PUT}
     */
    Uni<JsonObject> of(String method, Target target, String count, Supplier<JsonInput> body) {
        if (target.kind() == Target.Kind.POLICIES) {
            return policies();
        }
        Policy policy = policy(target.policy());
        boolean puts = method.equals("PUT");
        return switch (target.kind()) {
            case POLICIES, POLICY -> shown(policy);
            case MOST_DENIED -> mostDenied(policy, count);
            case BLOCKED -> blocked(policy);
            case POLICY_OVERRIDE -> done(override(admin(policy), puts, policy, body));
            case KEY -> method.equals("DELETE") ? done(key(target).reset()) : state(target);
            case KEY_OVERRIDE -> done(override(key(target), puts, policy, body));
            case KEY_BLOCK -> done(puts ? block(key(target), body.get()) : key(target).unblock());
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
        return admin.policy(target.policy()).forKey(values(target));
    }

    private static String[] values(Target target) {
        return target.key().toArray(String[]::new);
    }

    private static Uni<Void> override(LimitsAdmin limits, boolean puts, Policy policy, Supplier<JsonInput> body) {
        if (!puts) {
            return limits.removeOverride();
        }
        OverrideInput input = OverrideInput.of(body.get(), policy);
        return input.duration() == null ? limits.override(input.limits())
                : limits.override(input.limits(), input.duration());
    }

    private static Uni<Void> block(KeyAdmin key, JsonInput body) {
        return key.block(body.only("duration").duration("duration").orElseThrow(
                () -> new Problem(400,
                        "duration is missing. Set it to the time for which the key is blocked, such as {\"duration\": \"10m\"}.")));
    }

    private Uni<JsonObject> policies() {
        // a combination of nothing never completes
        if (settings.policies().isEmpty()) {
            return Uni.createFrom().item(new JsonObject().put("policies", new JsonArray()));
        }
        return Uni.combine().all().unis(settings.policies().values().stream().map(this::shown).toList())
                .with(all -> new JsonObject().put("policies", new JsonArray(new ArrayList<>(all))));
    }

    private Uni<JsonObject> shown(Policy policy) {
        int arguments = references.keyArguments(policy.name());
        return admin(policy).limits()
                .chain(limits -> admin(policy).overrides().map(overrides -> new JsonObject().put("name", policy.name())
                        .put("enabled", settings.enabled() && policy.enabled()).put("mode", AdminJson.text(policy.mode()))
                        .put("key", new JsonArray(labels(policy))).put("keyArguments", arguments)
                        .put("limits", AdminJson.inForce(limits)).put("overrides", AdminJson.of(overrides, labels(policy)))));
    }

    /** The parts of the key; {@code key} where the policy has none, and each call gives its own. */
    private List<String> labels(Policy policy) {
        return policy.key() != null ? policy.key().parts()
                : references.keyArguments(policy.name()) == 0 ? List.of("key") : List.of();
    }

    private Uni<JsonObject> state(Target target) {
        // checks the key
        key(target);
        return Uni.combine().all().unis(limiters.get(target.policy()).forKey(values(target)).reactive().peek(),
                admin.policy(target.policy()).overrides()).with((peeked, overrides) -> {
                    JsonObject state = AdminJson.of(peeked);
                    overrides.stream().filter(override -> override.key().orElse("").equals(peeked.key()))
                            .findFirst().ifPresent(override -> state.put("override", AdminJson.of(override)));
                    return state;
                });
    }

    private Uni<JsonObject> mostDenied(Policy policy, String count) {
        return admin(policy).mostDenied(number(count)).map(denied -> new JsonObject().put("policy", policy.name())
                .put("keys", new JsonArray(denied.stream().map(key -> AdminJson.of(key, labels(policy))).toList())));
    }

    private Uni<JsonObject> blocked(Policy policy) {
        return admin(policy).blocked().map(blocked -> new JsonObject().put("policy", policy.name())
                .put("keys", new JsonArray(blocked.stream().map(key -> AdminJson.of(key, labels(policy))).toList())));
    }

    private static int number(String count) {
        try {
            return count == null ? USUAL_COUNT : Integer.parseInt(count);
        } catch (NumberFormatException e) {
            throw new Problem(400, "count must be 1 to 100, but is " + count);
        }
    }

    private static Uni<JsonObject> done(Uni<Void> operation) {
        return operation.replaceWith((JsonObject) null);
    }
}
