package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.Limit;
import io.quarkus.runtime.configuration.DurationConverter;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;

/**
 * A JSON object that a client sent. Each mistake in it is a {@link Problem} that names its place.
 *
 * @param place path of the object, with a dot at the end; empty for the whole body
 */
public record JsonInput(JsonObject object, String place) {

    /** Message of a {@link DecodeException}: what is wrong, and where. */
    private static final Pattern MISTAKE = Pattern.compile("Failed to decode:(.*)\n at \\[.*line: (\\d+), column: (\\d+)].*",
            Pattern.DOTALL);

    static JsonInput parse(Buffer body) {
        try {
            if (body.length() > 0 && Json.decodeValue(body) instanceof JsonObject object) {
                return new JsonInput(object, "");
            }
        } catch (DecodeException notJson) {
            Matcher mistake = MISTAKE.matcher(notJson.getMessage());
            throw new Problem(400, "The body is no JSON" + (!mistake.matches() ? "."
                    : ", line " + mistake.group(2) + ", column " + mistake.group(3) + ": " + mistake.group(1) + '.'));
        }
        throw new Problem(400, "The body must be a JSON object, such as {\"duration\": \"10m\"}.");
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
        Object value = object.getValue(name);
        if (value != null && (!isWhole(value) || object.getLong(name) < 1 || object.getLong(name) > Limit.MAX_PERMITS)) {
            throw wrong(name, "must be a whole number from 1 to " + Limit.MAX_PERMITS);
        }
        return Optional.ofNullable(object.getLong(name));
    }

    /** Reads a text; empty if it is missing. */
    String text(String name) {
        Object value = object.getValue(name);
        if (value != null && !(value instanceof String)) {
            throw wrong(name, "must be a text");
        }
        return value == null ? "" : (String) value;
    }

    /** Reads a duration as in the configuration; a number alone means seconds. */
    Optional<Duration> duration(String name) {
        Object value = object.getValue(name);
        try {
            if (value == null) {
                return Optional.empty();
            }
            String text = value instanceof String || isWhole(value) ? value.toString().strip() : "";
            if (!text.isEmpty()) {
                return Optional.of(DurationConverter.parseDuration(text));
            }
        } catch (IllegalArgumentException | ArithmeticException noDuration) {
            // reported below
        }
        throw wrong(name, "must be a duration like \"500ms\", \"10s\", \"1m\", \"1h\", \"1d\" or \"PT1M30S\"");
    }

    private static boolean isWhole(Object value) {
        return value instanceof Integer || value instanceof Long;
    }

    private Problem wrong(String name, String must) {
        Object value = object.getValue(name);
        return new Problem(400, place + name + ' ' + must + ", but is "
                + (value instanceof JsonObject ? "an object" : Json.encode(value)) + '.');
    }
}
