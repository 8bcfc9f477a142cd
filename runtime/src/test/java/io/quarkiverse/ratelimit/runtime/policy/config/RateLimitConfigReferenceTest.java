package io.quarkiverse.ratelimit.runtime.policy.config;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The model from which the reference of the configuration is generated: type, allowed values and default of a property. */
class RateLimitConfigReferenceTest {

    private static final String MODEL = "/META-INF/quarkus-config-doc/quarkus-config-model.json";

    private static final List<JsonObject> PROPERTIES = new ArrayList<>();

    @BeforeAll
    static void readModel() throws IOException {
        try (InputStream model = RateLimitConfigReferenceTest.class.getResourceAsStream(MODEL)) {
            new JsonObject(new String(model.readAllBytes(), StandardCharsets.UTF_8)).getJsonArray("configRoots")
                    .forEach(root -> addProperties(((JsonObject) root).getJsonArray("items")));
        }
        assertThat(PROPERTIES).hasSizeGreaterThan(40);
    }

    private static void addProperties(JsonArray items) {
        for (Object item : items) {
            JsonObject one = (JsonObject) item;
            if (one.containsKey("items")) {
                addProperties(one.getJsonArray("items"));
            } else {
                PROPERTIES.add(one);
            }
        }
    }

    @Test
    void onlyNamesAndWhatNamesAPartAreText() {
        assertThat(names(one -> isText(one) && !isList(one)))
                .containsExactlyInAnyOrder("redis-client", "key-prefix", "key", "plan", "overflow", "policy",
                        "address-header");
        assertThat(names(one -> isText(one) && isList(one)))
                .containsExactlyInAnyOrder("exempt-roles", "exempt-ips", "exempt-keys", "plan-order", "count-when", "paths",
                        "except",
                        "methods",
                        "roles-allowed", "hosts", "reservation-secret");
    }

    @Test
    void numbersAndDurationsAreTyped() {
        assertThat(names(one -> one.getString("typeDescription").matches("int|long"))).containsExactlyInAnyOrder("permits",
                "burst", "replicas", "max-delayed", "ipv6-prefix", "proxy-hops", "after", "prefetch");
        assertThat(names(one -> one.getString("typeDescription").equals("Duration"))).containsExactlyInAnyOrder("period",
                "max-wait", "lease-time", "denial-cache", "timeout", "plan-cache", "within", "block", "max-block",
                "prefetch-time", "retry-after-jitter", "obey-retry-after");
        assertThat(names(one -> one.getString("typeDescription").equals("ZoneId"))).containsExactly("zone");
        assertThat(names(one -> one.getString("typeDescription").equals("Percentage"))).containsExactly("warn-at");
        assertThat(names(one -> one.getString("typeDescription").equals("boolean"))).containsExactlyInAnyOrder("enabled",
                "unlimited");
    }

    @Test
    void allowedValuesAreThoseOfAFile() {
        assertThat(PROPERTIES.stream().filter(one -> one.containsKey("enumAcceptedValues"))
                .collect(toMap(RateLimitConfigReferenceTest::name, RateLimitConfigReferenceTest::allowedValues, (a, b) -> a)))
                .containsOnly(
                        entry("algorithm", Set.of("token-bucket", "leaky-bucket", "fixed-window", "sliding-window",
                                "sliding-log", "concurrency")),
                        entry("refill", Set.of("greedy", "interval")),
                        entry("counts", Set.of("cost", "calls")),
                        entry("calendar", Set.of("minute", "hour", "day", "week", "month", "year")),
                        entry("missing-key", Set.of("ip", "shared", "deny", "skip")),
                        entry("normalize", Set.of("trim", "lower-case", "nfkc")),
                        entry("store", Set.of("redis", "memory")),
                        entry("unknown-properties", Set.of("fail", "warn")),
                        entry("on-redis-failure", Set.of("local", "allow", "deny")),
                        entry("mode", Set.of("enforce", "shadow")),
                        entry("headers", Set.of("ratelimit", "x-ratelimit", "none")));
    }

    @Test
    void everyPropertyWithADefaultShowsIt() {
        assertThat(names(one -> !one.containsKey("defaultValue"))).containsExactlyInAnyOrder("permits", "period", "calendar",
                "key", "normalize", "exempt-roles", "exempt-ips", "exempt-keys", "plan", "plan-order", "overflow", "paths",
                "except",
                "policy", "warn-at",
                "hosts", "address-header");
        assertThat(PROPERTIES).extracting(one -> name(one) + "=" + one.getString("defaultValue")).contains("timeout=250ms",
                "algorithm=token-bucket", "refill=greedy", "lease-time=30s", "missing-key=ip", "denial-cache=1s",
                "headers=ratelimit,x-ratelimit", "max-delayed=10000", "enabled=true");
    }

    private static Set<String> names(Predicate<JsonObject> chosen) {
        return PROPERTIES.stream().filter(chosen).map(RateLimitConfigReferenceTest::name).collect(toSet());
    }

    private static String name(JsonObject property) {
        String path = property.getJsonObject("path").getString("property");
        return path.substring(path.lastIndexOf('.') + 1);
    }

    private static boolean isText(JsonObject property) {
        return property.getString("typeDescription").equals("string");
    }

    private static boolean isList(JsonObject property) {
        return property.getBoolean("list", false);
    }

    private static Set<String> allowedValues(JsonObject property) {
        JsonObject values = property.getJsonObject("enumAcceptedValues").getJsonObject("values");
        return Stream.of(values.getMap().keySet().toArray())
                .map(constant -> values.getJsonObject((String) constant).getString("configValue")).collect(toSet());
    }
}
