package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Instant;

import io.vertx.core.json.JsonObject;

/**
 * Why, by whom and when an operator changed something at run time.
 *
 * @param reason empty for none
 * @param by name of the operator; empty without a login
 */
public record Change(String reason, String by, Instant at) {

    /** Stands for a change by code, which has none of these. */
    public static final Change BY_CODE = new Change("", "", null);

    /** Name of a change in a stored text. No limit has this name. */
    private static final String NAME = "";

    /** Adds this change to a text that is stored. */
    JsonObject addTo(JsonObject text) {
        return at == null ? text
                : text.put(NAME, new JsonObject().put("reason", reason).put("by", by).put("at", at.toString()));
    }

    /** Removes the change from a stored text, and returns it. */
    static Change removeFrom(JsonObject text) {
        JsonObject change = (JsonObject) text.remove(NAME);
        return change == null ? BY_CODE
                : new Change(change.getString("reason"), change.getString("by"), Instant.parse(change.getString("at")));
    }
}
