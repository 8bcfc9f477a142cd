package io.quarkiverse.ratelimit.runtime.operate.admin;

import static io.quarkiverse.ratelimit.runtime.engine.limits.CallerContext.keepOnEventLoop;
import static java.util.Objects.requireNonNullElse;
import static java.util.Objects.requireNonNullElseGet;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.engine.Arguments;
import io.quarkiverse.ratelimit.runtime.engine.CodeCalls;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.limits.Change;
import io.quarkiverse.ratelimit.runtime.engine.limits.Overrides;
import io.quarkiverse.ratelimit.runtime.engine.limits.StoredOverride;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.Plan;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkus.runtime.ApplicationConfig;
import io.quarkus.runtime.configuration.ConfigUtils;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Runs the operations that requests name. The result is JSON, or {@code null} for an empty response. */
@Singleton
public record AdminOperations(Administration administration, ReactiveRateLimitAdmin admin, CodeCalls calls,
        RateLimiters limiters, Settings settings, RateLimitConfig config, PolicyReferences references,
        ApplicationConfig application, LimiterClock clock) {

    private static final int USUAL_COUNT = 10;

    public Uni<JsonObject> run(AdminRequest request) {
        return keepOnEventLoop(() -> runHere(request));
    }

    private Uni<JsonObject> runHere(AdminRequest request) {
        Target target = request.target();
        return switch (target.kind()) {
            case POLICIES -> policies(request.operator());
            case MOST_DENIED_OF_ALL -> admin.mostDenied(request.number("count", USUAL_COUNT))
                    .map(denied -> new JsonObject().put("keys", new JsonArray(denied.stream().map(this::of).toList())));
            default -> run(request, policy(target.policy()));
        };
    }

    private Uni<JsonObject> run(AdminRequest request, Policy policy) {
        Target target = request.target();
        PassedKey key = target.kind().isOfKey() ? keysOf(policy).readWithDigests(target.values()) : null;
        String stored = key == null ? "" : key.stored();
        boolean deletes = request.method().equals("DELETE");
        return switch (target.kind()) {
            case POLICIES, MOST_DENIED_OF_ALL, POLICY -> shown(policy);
            case MOST_DENIED -> admin.policy(policy.name()).mostDenied(request.number("count", USUAL_COUNT))
                    .map(denied -> keys(policy, denied.stream().map(this::of)));
            case BLOCKED -> deletes
                    ? changed(request, stored, change -> administration.unblockAll(policy))
                    : administration.blocked(policy)
                            .map(blocked -> keys(policy, blocked.stream().map(one -> AdminJson.of(one, keysOf(policy)))));
            case POLICY_OVERRIDE, KEY_OVERRIDE -> override(request, policy, stored);
            case POLICY_SHADOW -> changed(request, stored, change -> !request.puts() ? administration.enforce(policy)
                    : administration.shadow(policy, duration(request, "shadow mode", Duration.ofSeconds(1)), change));
            case KEY_BLOCK -> changed(request, stored, change -> request.puts()
                    ? administration.block(policy, stored, duration(request, "a block", Limit.MIN_PERIOD), change)
                    : plan(policy, key).chain(plan -> administration.unblock(inForce(policy, plan, stored), stored)));
            case KEY -> deletes
                    ? changed(request, stored, change -> administration.reset(policy, stored))
                    : target.isAcquired(request.method()) ? acquired(request, policy, key).map(AdminJson::of)
                            : state(policy, key);
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

    private PassedKey.Reader keysOf(Policy policy) {
        return new PassedKey.Reader(policy.name(), policy.key(), policy.normalize(),
                settings.passedArguments(policy.name(), references),
                new AddressForm(settings.ipv6Prefix()));
    }

    /** Changes something, and logs who did it and why. */
    private Uni<JsonObject> changed(AdminRequest request, String key, Function<Change, Uni<Void>> operation) {
        Change change = request
                .change(Instant.EPOCH.plus(clock.ofThisInstance(Clock.systemUTC()).getAsLong(), ChronoUnit.MICROS));
        return operation.apply(change).invoke(() -> request.log(key, change)).replaceWith((JsonObject) null);
    }

    /** @param key empty for all callers */
    private Uni<JsonObject> override(AdminRequest request, Policy policy, String key) {
        return changed(request, key, change -> {
            if (!request.puts()) {
                return administration.removeOverride(policy, key);
            }
            JsonInput body = request.body().get();
            Duration duration = body.duration("duration")
                    .map(given -> Arguments.time("duration", given, Duration.ofSeconds(1))).orElse(Overrides.UNTIL_REMOVED);
            return administration.override(policy, key, OverrideBody.limits(policy, body), duration, change);
        });
    }

    private static Duration duration(AdminRequest request, String what, Duration least) {
        Duration duration = request.body().get().only("duration", "reason").duration("duration")
                .orElseThrow(() -> new Problem(400, "duration is missing. Set it to the time of " + what
                        + ", such as {\"duration\": \"10m\"}."));
        return Arguments.time("The time of " + what, duration, least);
    }

    private Uni<RateLimitDecision> acquired(AdminRequest request, Policy policy, PassedKey key) {
        String[] values = request.target().values();
        if (key.values().isEmpty() && values.length > 0) {
            throw new Problem(400, "A digest cannot acquire permits. Give the value.");
        }
        return limiters.get(policy.name()).forKey(values).reactive().tryAcquire(request.number("cost", 1));
    }

    /** Returns the plan of a key, if it can be known without a request. */
    private Uni<Plan> plan(Policy policy, PassedKey key) {
        return key.values().isEmpty() ? Uni.createFrom().nullItem() : calls.engine().resolvers().shownPlan(policy, key);
    }

    /** Returns the policy in force for a key, also where its plan is unlimited. */
    private Policy inForce(Policy policy, Plan plan, String key) {
        return requireNonNullElse(administration.overrides().inForce(policy, plan, key), policy);
    }

    private Uni<JsonObject> state(Policy policy, PassedKey key) {
        String stored = key.stored();
        return peek(policy, key).map(peeked -> {
            JsonObject state = AdminJson.withValues(AdminJson.of(peeked), keysOf(policy).given(stored));
            find(administration.overrides().overrides(policy), stored)
                    .ifPresent(override -> state.put("override", AdminJson.of(override)));
            find(administration.overrides().blocks(policy), stored)
                    .ifPresent(block -> state.put("block", AdminJson.of(block)));
            return state;
        });
    }

    private static Optional<StoredOverride> find(List<StoredOverride> all, String key) {
        return all.stream().filter(override -> override.storedKey().equals(key)).findFirst();
    }

    private Uni<Decision> peek(Policy policy, PassedKey key) {
        Decision notLimited = Decision.uncounted(policy, key.stored(), 0, Source.NOT_LIMITED, null);
        if (!settings.enabled() || !policy.enabled() || policy.exempts(key)) {
            return Uni.createFrom().item(notLimited);
        }
        return plan(policy, key).chain(plan -> {
            Policy inForce = administration.overrides().inForce(policy, plan, key.stored());
            return inForce == null ? Uni.createFrom().item(notLimited)
                    : calls.peek(inForce, key.stored()).map(outcome -> requireNonNullElseGet(outcome.ofCode(),
                            () -> Decision.uncounted(policy, key.stored(), 0, Source.FALLBACK, null)));
        });
    }

    private Uni<JsonObject> policies(String operator) {
        List<Uni<JsonObject>> shown = settings.policies().values().stream().map(this::shown).toList();
        return (shown.isEmpty() ? Uni.createFrom().item(List.of()) : Uni.join().all(shown).andFailFast()).map(policies -> {
            JsonObject json = new JsonObject().put("application", application.name().orElse(""))
                    .put("profile", String.join(",", ConfigUtils.getProfiles())).put("operator", operator)
                    .put("policies", new JsonArray(policies));
            return Access.LOCAL_DEVELOPMENT ? json.put("acquire", true) : json;
        });
    }

    private Uni<JsonObject> shown(Policy policy) {
        return Uni.combine().all().unis(ifAvailable(administration.denials(policy)),
                ifAvailable(administration.blocked(policy).map(List::size)))
                .with((denials, blocked) -> shown(policy, denials, blocked));
    }

    private static <T> Uni<T> ifAvailable(Uni<T> known) {
        return known.onFailure(RateLimitUnavailableException.class).recoverWithNull();
    }

    /**
     * @param denials {@code null} while Redis is unavailable
     * @param blocked number of blocked keys; {@code null} where Redis is needed and unavailable
     */
    private JsonObject shown(Policy policy, Long denials, Integer blocked) {
        List<StoredOverride> overrides = administration.overrides().overrides(policy);
        JsonObject json = new JsonObject().put("name", policy.name())
                .put("enabled", settings.enabled() && policy.enabled())
                .put("mode", Policy.written(policy.mode())).put("key", new JsonArray(labels(policy)))
                .put("keyArguments", settings.keyArguments(policy.name(), references))
                .put("limits", AdminJson.of(limits(inForce(policy, null, "")))).put("configured", AdminJson.of(limits(policy)))
                .put("onRedisFailure", Policy.written(policy.onRedisFailure()))
                .put("denials", denials).put("blocked", blocked)
                .put("overrides", AdminJson.of(overrides, keysOf(policy)))
                .put("methods", new JsonArray(references.methods().stream()
                        .filter(method -> method.uses().stream().anyMatch(use -> use.policy().equals(policy.name())))
                        .map(LimitedMethod::id).sorted().toList()))
                .put("routes", new JsonArray(settings.routes().stream().filter(route -> route.policy() == policy)
                        .map(AdminJson::of).toList()));
        find(overrides, "").ifPresent(override -> json.put("override", AdminJson.of(override)));
        Optional.ofNullable(settings.overflows().get(policy.name())).ifPresent(overflow -> json.put("overflow", overflow));
        administration.overrides().shadow(policy).ifPresent(shadow -> json.put("shadow", AdminJson.of(shadow)));
        AdminJson.of(config.policies().get(policy.name()).penalty()).ifPresent(penalty -> json.put("penalty", penalty));
        return json;
    }

    private static Map<String, Limit> limits(Policy policy) {
        return policy.limits().stream().collect(Collectors.toMap(PolicyLimit::name, PolicyLimit::limit));
    }

    /** Returns the names of the parts of the key; {@code key} where the policy has none, and each call passes its own. */
    private List<String> labels(Policy policy) {
        return policy.key() != null ? policy.key().parts()
                : settings.keyArguments(policy.name(), references) == 0 ? List.of("key") : List.of();
    }

    private JsonObject of(DeniedKey denied) {
        return AdminJson.of(denied, keysOf(settings.policies().get(denied.policy())));
    }

    private static JsonObject keys(Policy policy, Stream<JsonObject> keys) {
        return new JsonObject().put("policy", policy.name()).put("keys", new JsonArray(keys.toList()));
    }
}
