package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.engine.KeyAdministration;
import io.quarkiverse.ratelimit.runtime.engine.Overrides;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Runs the operations that requests name. The result is JSON, or {@code null} for an empty response. */
final class AdminOperations {

    private static final int USUAL_COUNT = 10;

    private final KeyAdministration admin;
    private final Settings settings;
    private final PolicyReferences references;

    AdminOperations(KeyAdministration admin, Settings settings, PolicyReferences references) {
        this.admin = admin;
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
            case POLICY_OVERRIDE -> done(puts ? override(policy, OverrideInput.of(body.get(), policy))
                    : admin.removeOverride(policy.name()));
            case KEY -> method.equals("DELETE") ? done(limiter(target).reset()) : state(target);
            case KEY_OVERRIDE -> done(puts ? override(target, OverrideInput.of(body.get(), policy))
                    : admin.removeOverride(policy.name(), key(target)));
            case KEY_BLOCK -> done(puts ? block(target, body.get()) : limiter(target).unblock());
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

    private PassedKey key(Target target) {
        return target.stored() ? admin.storedKey(target.policy(), target.key().get(0))
                : admin.key(target.policy(), target.key());
    }

    private ReactiveRateLimiter limiter(Target target) {
        return admin.limiter(target.policy(), key(target));
    }

    private Uni<Void> override(Policy policy, OverrideInput override) {
        return override.duration() == null ? admin.override(policy.name(), override.limits())
                : admin.override(policy.name(), override.limits(), override.duration());
    }

    private Uni<Void> override(Target target, OverrideInput override) {
        return admin.override(target.policy(), key(target), override.limits(),
                override.duration() == null ? Overrides.UNTIL_REMOVED : override.duration());
    }

    private Uni<Void> block(Target target, JsonInput body) {
        return limiter(target).block(body.only("duration").duration("duration").orElseThrow(
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
        return admin.limits(policy.name())
                .chain(limits -> admin.overrides(policy.name()).map(overrides -> new JsonObject().put("name", policy.name())
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
        PassedKey key = key(target);
        Uni<Duration> blockedFor = admin.blockedFor(target.policy(), key)
                // the state then says that Redis is unavailable
                .onFailure().recoverWithItem(Duration.ZERO);
        return Uni.combine().all().unis(admin.limiter(target.policy(), key).peek(), blockedFor,
                admin.overrides(target.policy())).with((peeked, blocked, overrides) -> {
                    JsonObject state = AdminJson.of(peeked, blocked);
                    overrides.stream().filter(override -> override.key().orElse("").equals(peeked.key()))
                            .findFirst().ifPresent(override -> state.put("override", AdminJson.of(override)));
                    return state;
                });
    }

    private Uni<JsonObject> mostDenied(Policy policy, String count) {
        return admin.mostDenied(policy.name(), number(count)).map(denied -> new JsonObject().put("policy", policy.name())
                .put("keys", new JsonArray(denied.stream().map(key -> AdminJson.of(key, labels(policy))).toList())));
    }

    private Uni<JsonObject> blocked(Policy policy) {
        return admin.blocked(policy.name()).map(blocked -> new JsonObject().put("policy", policy.name())
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
