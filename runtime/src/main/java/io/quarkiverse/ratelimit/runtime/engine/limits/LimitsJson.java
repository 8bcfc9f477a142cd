package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.Refill;
import io.quarkiverse.ratelimit.runtime.policy.LimitSpec;
import io.vertx.core.json.JsonObject;

/** Writes limits by name as JSON, and reads them. */
public final class LimitsJson {

    private LimitsJson() {
    }

    public static JsonObject of(Map<String, Limit> limits) {
        JsonObject text = new JsonObject();
        limits.forEach((name, limit) -> text.put(name, new JsonObject()
                .put("algorithm", limit.algorithm().name())
                .put("permits", limit.permits())
                .put("period", text(limit.period()))
                .put("burst", limit.burst())
                .put("refill", limit.refill().name())
                .put("max-wait", text(limit.maxWait()))
                .put("calendar", text(limit.calendar()))
                .put("zone", text(limit.zone()))
                .put("lease-time", text(limit.leaseTime()))
                .put("counts", limit.counts().name())));
        return text;
    }

    public static Map<String, Limit> read(JsonObject all) {
        Map<String, Limit> limits = new HashMap<>();
        for (String name : all.fieldNames()) {
            JsonObject limit = all.getJsonObject(name);
            limits.put(name, new LimitSpec(value(limit, "algorithm", Algorithm::valueOf), limit.getLong("permits"),
                    value(limit, "period", Duration::parse), limit.getLong("burst"), value(limit, "refill", Refill::valueOf),
                    value(limit, "max-wait", Duration::parse), value(limit, "calendar", CalendarPeriod::valueOf),
                    value(limit, "zone", ZoneId::of), value(limit, "lease-time", Duration::parse),
                    value(limit, "counts", Counts::valueOf)).toLimit());
        }
        return limits;
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }

    private static <T> T value(JsonObject limit, String name, Function<String, T> parse) {
        String text = limit.getString(name);
        return text == null ? null : parse.apply(text);
    }
}
