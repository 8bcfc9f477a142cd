package io.quarkiverse.ratelimit.runtime.admin;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.core.JsonProcessingException;

import io.quarkiverse.ratelimit.Limit;
import io.quarkus.runtime.configuration.DurationConverter;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;

/**
 * A JSON object that a client sent. What is wrong with it is a {@link Problem} that names the place.
 *
 * @param place the path of the object, with a dot at the end; empty for the whole body
 */
record JsonInput(JsonObject object, String place) {

    static JsonInput parse(Buffer body) {
        try {
            if (body.length() > 0 && Json.decodeValue(body) instanceof JsonObject object) {
                return new JsonInput(object, "");
            }
        } catch (DecodeException notJson) {
            throw new Problem(400, "The body is no JSON" + where(notJson.getCause()));
        }
        throw new Problem(400, "The body must be a JSON object, such as {\"duration\": \"10m\"}.");
    }

    private static String where(Throwable cause) {
        return cause instanceof JsonProcessingException json && json.getLocation() != null
                ? ", line " + json.getLocation().getLineNr() + ", column " + json.getLocation().getColumnNr() + ": "
                        + json.getOriginalMessage() + '.'
                : ".";
    }

    /** Fails if there are other properties. */
    JsonInput only(String... names) {
        for (String name : object.fieldNames()) {
            if (!List.of(names).contains(name)) {
                throw new Problem(400, place + name + " is not known. Known: " + String.join(", ", names) + '.');
            }
        }
        return this;
    }

    boolean has(String name) {
        return object.getValue(name) != null;
    }

    JsonInput object(String name) {
        if (object.getValue(name) instanceof JsonObject inner) {
            return new JsonInput(inner, place + name + '.');
        }
        throw wrong(name, "must be a JSON object");
    }

    Optional<Long> permits(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        if (object.getValue(name) instanceof Integer || object.getValue(name) instanceof Long) {
            long value = object.getLong(name);
            if (value >= 1 && value <= Limit.MAX_PERMITS) {
                return Optional.of(value);
            }
        }
        throw wrong(name, "must be a whole number from 1 to " + Limit.MAX_PERMITS);
    }

    /** A duration as in the configuration; a number alone means seconds. */
    Optional<Duration> duration(String name) {
        Object value = object.getValue(name);
        if (value == null) {
            return Optional.empty();
        }
        Duration duration = null;
        try {
            duration = value instanceof String || value instanceof Integer || value instanceof Long
                    ? DurationConverter.parseDuration(value.toString().strip())
                    : null;
        } catch (IllegalArgumentException | ArithmeticException noDuration) {
            // reported below
        }
        if (duration == null) {
            throw wrong(name, "must be a duration like \"500ms\", \"10s\", \"1m\", \"1h\", \"1d\" or \"PT1M30S\"");
        }
        return Optional.of(duration);
    }

    /** The duration of a block, which is all that the object has. */
    Duration blockDuration() {
        return only("duration").duration("duration").orElseThrow(
                () -> new Problem(400, "duration is missing. Set it to the time for which the key is blocked, such as"
                        + " {\"duration\": \"10m\"}."));
    }

    private Problem wrong(String name, String must) {
        Object value = object.getValue(name);
        String text = value instanceof JsonObject || value instanceof Map ? "an object" : Json.encode(value);
        return new Problem(400, place + name + ' ' + must + ", but is " + text + '.');
    }
}
