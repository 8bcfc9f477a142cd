package io.quarkiverse.ratelimit.runtime.dev;

import java.util.function.Supplier;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.operate.admin.AdminOperations;
import io.quarkiverse.ratelimit.runtime.operate.admin.AdminRequest;
import io.quarkiverse.ratelimit.runtime.operate.admin.JsonInput;
import io.quarkiverse.ratelimit.runtime.operate.admin.Problem;
import io.quarkiverse.ratelimit.runtime.operate.admin.Target;
import io.quarkiverse.ratelimit.runtime.operate.admin.Target.Kind;
import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/**
 * Offers administration as tools of Quarkus' Dev MCP. Tools that only read are enabled by default. An
 * action returns the state after it, and a failure returns {@code {"error": "..."}}.
 */
@Singleton
public class AdminTools {

    private static final String POLICY = "The name of the policy";
    private static final String KEY = "The value of each part of the key, with slashes between them, such as an address for"
            + " the key ip. Write / in a value as %2F and % as %25. A value may be given as sha256: and its digest. Empty for"
            + " key=global";
    private static final String DURATION = "Such as 30m or 1d";
    private static final String REASON = "Why, up to 200 characters. Lists and the log show it";
    private static final Supplier<JsonObject> NO_BODY = () -> null;

    private final AdminOperations operations;

    AdminTools(AdminOperations operations) {
        this.operations = operations;
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the rate limit policies: the parts of their keys, the limits in force and as configured, the"
            + " overrides, the overflow that pays for calls that the policy denies, the denials of the last minute, the blocked keys, and the methods and routes that use them")
    public Uni<JsonObject> policies() {
        return read(Kind.POLICIES, "", "");
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Shows what a key has left of each limit of a rate limit policy, and whether it is denied or blocked."
            + " Overflows have keys of their own")
    public Uni<JsonObject> keyState(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key) {
        return read(Kind.KEY, policy, key);
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the keys that a rate limit policy denied most during the last minute")
    public Uni<JsonObject> mostDenied(@JsonRpcDescription(POLICY) String policy) {
        return read(Kind.MOST_DENIED, policy, "");
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the keys that all rate limit policies denied most during the last minute")
    public Uni<JsonObject> mostDeniedOfAll() {
        return read(Kind.MOST_DENIED_OF_ALL, "", "");
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the keys that a rate limit policy blocks now")
    public Uni<JsonObject> blockedKeys(@JsonRpcDescription(POLICY) String policy) {
        return read(Kind.BLOCKED, policy, "");
    }

    @JsonRpcDescription("Resets a key of a rate limit policy: it gets all its permits back, and is not blocked any more")
    public Uni<JsonObject> reset(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription(REASON) String reason) {
        return change("DELETE", Kind.KEY, policy, key, reason, NO_BODY);
    }

    @JsonRpcDescription("Overrides a limit of one key of a rate limit policy. It replaces an earlier override of the key")
    public Uni<JsonObject> override(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription("The name of the limit; default if the policy has only one") String limit,
            @JsonRpcDescription("The number of permits per period") Long permits,
            @JsonRpcDescription(DURATION + ". The override ends then by itself") String duration,
            @JsonRpcDescription(REASON) String reason) {
        return change("PUT", Kind.KEY_OVERRIDE, policy, key, reason, () -> new JsonObject()
                .put("duration", required("duration", duration)).put("limits", new JsonObject().put(required("limit", limit),
                        new JsonObject().put("permits", required("permits", permits)))));
    }

    @JsonRpcDescription("Removes the override of one key of a rate limit policy")
    public Uni<JsonObject> removeOverride(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription(REASON) String reason) {
        return change("DELETE", Kind.KEY_OVERRIDE, policy, key, reason, NO_BODY);
    }

    @JsonRpcDescription("Blocks a key of a rate limit policy: all its calls are denied")
    public Uni<JsonObject> block(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription(DURATION) String duration, @JsonRpcDescription(REASON) String reason) {
        return change("PUT", Kind.KEY_BLOCK, policy, key, reason,
                () -> new JsonObject().put("duration", required("duration", duration)));
    }

    @JsonRpcDescription("Unblocks a key of a rate limit policy")
    public Uni<JsonObject> unblock(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription(REASON) String reason) {
        return change("DELETE", Kind.KEY_BLOCK, policy, key, reason, NO_BODY);
    }

    @JsonRpcDescription("Unblocks the keys that a rate limit policy blocks, at most 300")
    public Uni<JsonObject> unblockAll(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(REASON) String reason) {
        return change("DELETE", Kind.BLOCKED, policy, "", reason, NO_BODY);
    }

    @JsonRpcDescription("Puts a rate limit policy into shadow mode for some time: it counts and reports, but denies nobody")
    public Uni<JsonObject> shadow(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(DURATION) String duration,
            @JsonRpcDescription(REASON) String reason) {
        return change("PUT", Kind.POLICY_SHADOW, policy, "", reason,
                () -> new JsonObject().put("duration", required("duration", duration)));
    }

    @JsonRpcDescription("Ends the shadow mode of a rate limit policy that an operator or code began")
    public Uni<JsonObject> enforce(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(REASON) String reason) {
        return change("DELETE", Kind.POLICY_SHADOW, policy, "", reason, NO_BODY);
    }

    private Uni<JsonObject> read(Kind kind, String policy, String key) {
        return run("GET", kind, policy, key, null, NO_BODY).onFailure().recoverWithItem(AdminTools::error);
    }

    private Uni<JsonObject> change(String method, Kind kind, String policy, String key, String reason,
            Supplier<JsonObject> body) {
        Kind changed = kind.isOfKey() ? Kind.KEY : Kind.POLICY;
        return run(method, kind, policy, key, reason, body).chain(() -> run("GET", changed, policy, key, null, NO_BODY))
                .onFailure().recoverWithItem(AdminTools::error);
    }

    private Uni<JsonObject> run(String method, Kind kind, String policy, String key, String reason,
            Supplier<JsonObject> body) {
        return Uni.createFrom().deferred(() -> {
            Target target = Target.of(kind, required("policy", policy), required("key", key));
            JsonObject given = body.get();
            JsonInput input = new JsonInput(given == null ? null : given.put("reason", reason), "");
            return operations.run(new AdminRequest(method, target, name -> name.equals("reason") ? reason : null, () -> input,
                    ""));
        });
    }

    /** Returns the value of a parameter; Dev MCP passes {@code null} for one that is missing. */
    private static <T> T required(String parameter, T value) {
        if (value == null) {
            throw new Problem(400, "The parameter " + parameter + " is missing."
                    + (parameter.equals("key") ? " For key=global, it is an empty text." : ""));
        }
        return value;
    }

    private static JsonObject error(Throwable failure) {
        return new JsonObject().put("error", Problem.of(failure).getMessage());
    }
}
