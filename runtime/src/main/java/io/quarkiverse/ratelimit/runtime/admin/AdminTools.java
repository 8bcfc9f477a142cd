package io.quarkiverse.ratelimit.runtime.admin;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.admin.Target.Kind;
import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/**
 * Offers administration as tools of Quarkus' Dev MCP, in dev mode only. The reads are enabled by default. The result of an
 * action is the state after it, and that of a failure is {@code {"error": "..."}}.
 */
@Singleton
public class AdminTools {

    private static final String POLICY = "The name of the policy";
    private static final String KEY = "The value of each part of the key, with slashes between them, such as an address for"
            + " the key ip. Write / in a value as %2F and % as %25. Empty for key=global";
    private static final String DURATION = "Such as 30m or 1d";

    private final AdminOperations operations;

    AdminTools(AdminOperations operations) {
        this.operations = operations;
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the rate limit policies, with the parts of their keys, the limits in force and the overrides")
    public Uni<JsonObject> policies() {
        return read(Kind.POLICIES, "", "");
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Shows what a key has left of each limit of a rate limit policy, and whether it is denied or blocked")
    public Uni<JsonObject> keyState(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key) {
        return read(Kind.KEY, policy, key);
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the keys that a rate limit policy denied most during the last minute")
    public Uni<JsonObject> mostDenied(@JsonRpcDescription(POLICY) String policy) {
        return read(Kind.MOST_DENIED, policy, "");
    }

    @DevMCPEnableByDefault
    @JsonRpcDescription("Lists the keys that a rate limit policy blocks now")
    public Uni<JsonObject> blockedKeys(@JsonRpcDescription(POLICY) String policy) {
        return read(Kind.BLOCKED, policy, "");
    }

    @JsonRpcDescription("Resets a key of a rate limit policy: it gets all its permits back, and is not blocked any more")
    public Uni<JsonObject> reset(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key) {
        return action("DELETE", Kind.KEY, policy, key, null);
    }

    @JsonRpcDescription("Overrides a limit of one key of a rate limit policy. It replaces an earlier override of the key")
    public Uni<JsonObject> override(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription("The name of the limit; default if the policy has only one") String limit,
            @JsonRpcDescription("The number of permits per period") Long permits,
            @JsonRpcDescription(DURATION + ". The override ends then by itself") String duration) {
        return action("PUT", Kind.KEY_OVERRIDE, policy, key, new JsonObject().put("duration", duration)
                .put("limits", new JsonObject().put(limit, new JsonObject().put("permits", permits))));
    }

    @JsonRpcDescription("Removes the override of one key of a rate limit policy")
    public Uni<JsonObject> removeOverride(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key) {
        return action("DELETE", Kind.KEY_OVERRIDE, policy, key, null);
    }

    @JsonRpcDescription("Blocks a key of a rate limit policy: all its calls are denied")
    public Uni<JsonObject> block(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription(DURATION) String duration) {
        return action("PUT", Kind.KEY_BLOCK, policy, key, new JsonObject().put("duration", duration));
    }

    @JsonRpcDescription("Unblocks a key of a rate limit policy")
    public Uni<JsonObject> unblock(@JsonRpcDescription(POLICY) String policy, @JsonRpcDescription(KEY) String key) {
        return action("DELETE", Kind.KEY_BLOCK, policy, key, null);
    }

    private Uni<JsonObject> read(Kind kind, String policy, String key) {
        return run("GET", kind, policy, key, null).onFailure().recoverWithItem(AdminTools::error);
    }

    private Uni<JsonObject> action(String method, Kind kind, String policy, String key, JsonObject body) {
        return run(method, kind, policy, key, body).chain(() -> run("GET", Kind.KEY, policy, key, null))
                .onFailure().recoverWithItem(AdminTools::error);
    }

    private Uni<JsonObject> run(String method, Kind kind, String policy, String key, JsonObject body) {
        return Uni.createFrom().deferred(() -> operations.run(method, Target.of(kind, policy, key), parameter -> null,
                () -> new JsonInput(body, "")));
    }

    private static JsonObject error(Throwable failure) {
        return new JsonObject().put("error", Problem.of(failure).getMessage());
    }
}
