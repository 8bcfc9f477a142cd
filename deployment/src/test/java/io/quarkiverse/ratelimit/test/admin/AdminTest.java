package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.aMapWithSize;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import org.apache.http.NoHttpResponseException;
import org.jboss.logmanager.ExtHandler;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.test.admin.fixtures.Administered;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.Response;
import io.restassured.response.ValidatableResponse;
import io.restassured.specification.RequestSpecification;

/** Administration on the interface of the application, for callers with a role. */
class AdminTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class, FailingResponses.class))
            .withConfiguration(Administered.POLICIES + Administered.USERS
                    + "quarkus.rate-limit.policies.users.period=1h\nquarkus.http.root-path=/rate-limit-shop\n"
                    + "quarkus.http.limits.max-body-size=100M\n");

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    private final String caller = UUID.randomUUID().toString();

    @Test
    void policiesAreListedWithTheLimitsInForce() {
        root().get("policies").then().statusCode(200).contentType("application/json")
                .body("policies.name", contains("everybody", "pairs", "quotes", "several", "trial", "users",
                        "visits", "vouchers", "wallets"))
                .body("acquire", nullValue())
                .body("policies[1].key", contains("ip", "principal"))
                .body("operator", equalTo("root")).body("profile", equalTo("test")).body("$", hasKey("application"))
                .body("policies[2].mode", equalTo("enforce")).body("policies[2].onRedisFailure", equalTo("local"))
                .body("policies[2].denials", greaterThanOrEqualTo(0)).body("policies[2].blocked", greaterThanOrEqualTo(0))
                .body("policies[2].methods", contains(Administered.class.getName() + "#quote()"))
                .body("policies[2].routes.name", contains("exports"))
                .body("policies[2].routes.paths[0]", contains("/exports/*"))
                .body("policies[2].penalty", nullValue()).body("policies[2]", not(hasKey("overflow")))
                .body("policies[6].overflow", equalTo("wallets"))
                .body("policies[4].penalty",
                        equalTo(Map.of("after", 1, "within", "PT1H", "block", "PT30M", "maxBlock", "PT30M")))
                .body("policies[2].limits.default.algorithm", equalTo("token-bucket"))
                .body("policies[2].limits.default.permits", equalTo(2))
                .body("policies[2].limits.default.period", equalTo("PT1H"))
                .body("policies[2].limits.default", not(hasKey("counts")))
                .body("policies[3].limits.daily.calendar", equalTo("day"))
                .body("policies[3].limits.daily.counts", equalTo("calls"));
        root().get("policies/quotes").then().statusCode(200).body("name", equalTo("quotes"));
    }

    @Test
    void keyIsShownAndReset() {
        limiters.get("users").forKey(caller).tryAcquire(2);

        state("users", caller).body("key", equalTo("principal=" + caller)).body("allowed", equalTo(true))
                .body("remaining", equalTo(1)).body("limits.default.capacity", equalTo(3))
                .body("limits.default.nextPermitAfter", greaterThan(0f)).body("override", nullValue());
        root().delete("policies/users/keys/" + caller).then().statusCode(204);

        state("users", caller).body("remaining", equalTo(3));
    }

    @Test
    void eachChangeIsLoggedWithTheOperatorAndTheReason() {
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new ExtHandler() {
            @Override
            protected void doPublish(ExtLogRecord entry) {
                logged.add(entry.getFormattedMessage());
            }
        };
        Logger log = Logger.getLogger("io.quarkiverse.ratelimit.admin");
        log.addHandler(handler);
        try {
            root().body("{\"permits\": 9, \"duration\": \"1h\", \"reason\": \"sale\"}")
                    .put("policies/users/keys/" + caller + "/override")
                    .then().statusCode(204);
            root().delete("policies/users/keys/" + caller + "/override").then().statusCode(204);
            root().body("{\"permits\": 9}").put("policies/everybody/keys/override").then().statusCode(204);
            root().delete("policies/everybody/keys/override").then().statusCode(204);
            root().delete("policies/everybody/keys").then().statusCode(204);
            root().body("{\"permits\": 9}").put("policies/users/override").then().statusCode(204);
            root().delete("policies/users/override").then().statusCode(204);
        } finally {
            log.removeHandler(handler);
        }

        String key = "principal=" + caller;
        assertThat(logged).containsExactly("root: overrode the limits of " + key + " of policy users for PT1H: sale",
                "root: removed the override of " + key + " of policy users",
                "root: overrode the limits of all callers of policy everybody",
                "root: removed the override of all callers of policy everybody", "root: reset all callers of policy everybody",
                "root: overrode the limits of policy users", "root: removed the override of policy users");
    }

    @Test
    void keyIsThatOfItsPolicyAloneAndNotOfOverflows() {
        RateLimiter visits = limiters.get("visits").forKey(caller);
        visits.tryAcquire();
        assertThat(visits.tryAcquire().policy()).isEqualTo("wallets");

        state("visits", caller).body("policy", equalTo("visits")).body("allowed", equalTo(false))
                .body("remaining", equalTo(0)).body("limits.default.capacity", equalTo(1));
        state("wallets", caller).body("remaining", equalTo(1)).body("limits.default.capacity", equalTo(2));
        root().delete("policies/wallets/keys/" + caller).then().statusCode(204);
        state("wallets", caller).body("remaining", equalTo(2));
        state("visits", caller).body("remaining", equalTo(0));
    }

    @Test
    void keyIsNotPartOfTheResponseWhereItMayBeASecret() {
        limiters.get("quotes").forKey(caller).tryAcquire(3);
        deny("quotes", caller);

        assertThat(state("quotes", caller).extract().asString()).contains("header:x-api-key*").doesNotContain(caller);
        assertThat(root().get("policies/quotes/most-denied?count=100").asString()).contains("header:x-api-key*")
                .doesNotContain(caller);
    }

    @Test
    void keyWithoutPartsIsTheCountOfEverybody() {
        limiters.get("everybody").tryAcquire(2);
        root().get("policies/everybody/keys").then().statusCode(200).body("remaining", equalTo(1));
        root().delete("policies/everybody/keys").then().statusCode(204);
        root().get("policies/everybody/keys").then().body("remaining", equalTo(3)).body("override", nullValue());
        root().body("{\"permits\": 9}").put("policies/everybody/keys/override").then().statusCode(204);
        root().get("policies/everybody/keys").then().body("override.limits.default.permits", equalTo(9));
        root().delete("policies/everybody/keys/override").then().statusCode(204);
    }

    @ParameterizedTest
    @CsvSource({ "a%2Fb, a/b", "a%252Fb, a%2Fb", "100%25, 100%", "a+b, a+b", "a%20b, a b", "%2Foverride, /override",
            "overrid%65, override", "%62lock, block", "%3Cscript%3E, <script>", "rate-limit, rate-limit",
            "%C3%BC, \u00fc" })
    void escapedValueStaysOneValue(String escaped, String value) {
        String stored = limiters.get("pairs").forKey("1.2.3.4", value).tryAcquire(2).key();

        root().get("policies/pairs/keys/1.2.3.4/" + escaped).then().statusCode(200).body("key", equalTo(stored))
                .body("remaining", equalTo(1));
        root().delete("policies/pairs/keys/1.2.3.4/" + escaped).then().statusCode(204);
        assertThat(limiters.get("pairs").forKey("1.2.3.4", value).peek().remaining()).isEqualTo(3);
    }

    @Test
    void overrideForAKeyAppliesUntilItIsRemoved() {
        root().body("{\"limits\": {\"default\": {\"permits\": 20, \"period\": \"1m\"}}, \"duration\": \"30m\"}")
                .put("policies/users/keys/" + caller + "/override").then().statusCode(204);
        state("users", caller).body("remaining", equalTo(20)).body("override.limits.default.permits", equalTo(20))
                .body("override.limits.default.burst", equalTo(20)).body("override.limits.default.period", equalTo("PT1M"))
                .body("override.timeLeft", greaterThan(1700f));
        root().get("policies/users").then()
                .body("overrides.find { it.key == 'principal=" + caller + "' }.limits.default.permits",
                        equalTo(20))
                .body("override", nullValue()).body("limits.default.permits", equalTo(3));

        root().delete("policies/users/keys/" + caller + "/override").then().statusCode(204);
        state("users", caller).body("remaining", equalTo(3)).body("override", nullValue());
    }

    @Test
    void overrideForAPolicyKeepsWhatIsNotGiven() {
        root().body("{\"permits\": 4, \"burst\": 9}").put("policies/quotes/override").then().statusCode(204);
        root().get("policies/quotes").then().body("limits.default.permits", equalTo(4))
                .body("limits.default.burst", equalTo(9)).body("limits.default.period", equalTo("PT1H"))
                .body("override.limits.default.permits", equalTo(4)).body("overrides", equalTo(List.of()))
                .body("configured.default.permits", equalTo(2));
        root().body("{\"limits\": {\"short\": {\"period\": 90}}, \"duration\": 60}").put("policies/several/override").then()
                .statusCode(204);
        root().get("policies/several").then().body("limits.short.permits", equalTo(3))
                .body("limits.short.period", equalTo("PT1M30S")).body("limits.daily.permits", equalTo(10));

        root().delete("policies/quotes/override").then().statusCode(204);
        root().delete("policies/several/override").then().statusCode(204);
        root().get("policies/quotes").then().body("limits.default.permits", equalTo(2)).body("override", nullValue());
    }

    @Test
    void mostDeniedAreListedWithTheirPlainValues() {
        deny("users", caller);
        deny("users", caller);

        root().get("policies/users/most-denied?count=100").then().statusCode(200).body("policy", equalTo("users"))
                .body("keys.find { it.key == 'principal=" + caller + "' }.denials", equalTo(2))
                .body("keys.find { it.key == 'principal=" + caller + "' }.values", contains(caller));
        root().get("policies/everybody/most-denied").then().body("keys", equalTo(List.of()));
        root().get("policies/users").then().body("denials", greaterThanOrEqualTo(2));
    }

    @Test
    void mostDeniedOfAllPoliciesAreListedTogether() {
        String denied = "often-" + caller;
        for (int denial = 0; denial < 30; denial++) {
            deny("users", denied);
        }
        for (int denial = 0; denial < 20; denial++) {
            deny("quotes", denied);
        }

        root().get("most-denied?count=2").then().statusCode(200).body("keys.policy", contains("users", "quotes"))
                .body("keys.denials", contains(30, 20)).body("keys[0].values", contains(denied))
                .body("keys[1].values", contains("sha256:" + digest(denied)));
        assertThat(admin.mostDenied(2)).extracting(DeniedKey::policy).containsExactly("users", "quotes");
        problem(400, root().get("most-denied?count=0")).body("detail", startsWith("count must be 1 to 100"));
    }

    @Test
    void policyIsPutIntoShadowModeAndEnforced() {
        RateLimiter limiter = limiters.get("pairs").forKey("192.0.2.1", caller);
        limiter.tryAcquire(3);
        root().body("{\"duration\": \"1h\", \"reason\": \"false alarm\"}").put("policies/pairs/shadow").then().statusCode(204);

        assertThat(limiter.tryAcquire().allowed()).isTrue();
        root().get("policies/pairs").then().body("mode", equalTo("enforce")).body("shadow.timeLeft", greaterThan(3590f))
                .body("shadow.reason", equalTo("false alarm")).body("shadow.changedBy", equalTo("root"))
                .body("shadow.changedAt", matchesPattern("20.*T.*Z"));
        root().delete("policies/pairs/shadow?reason=it%20was%20real").then().statusCode(204);
        assertThat(limiter.tryAcquire().allowed()).isFalse();
        root().get("policies/pairs").then().body("shadow", nullValue());

        admin.policy("pairs").shadow(Duration.ofMinutes(1));
        assertThat(limiter.tryAcquire().allowed()).isTrue();
        root().get("policies/pairs").then().body("shadow", aMapWithSize(1));
        admin.policy("pairs").enforce();
        assertThat(limiter.tryAcquire().allowed()).isFalse();
        problem(400, root().body("{\"duration\": \"0s\"}").put("policies/pairs/shadow"))
                .body("detail", startsWith("The time of shadow mode must be 1 s to 366 days"));
        problem(400, root().body("{}").put("policies/pairs/shadow")).body("detail", startsWith("duration is missing."));
        assertThatIllegalArgumentException().isThrownBy(() -> admin.policy("pairs").shadow(Duration.ofDays(367)));
    }

    @Test
    void allBlockedKeysOfAPolicyAreUnblocked() {
        for (String key : List.of("a", "b")) {
            root().body("{\"duration\": \"1h\"}").put("policies/several/keys/" + key + "/block").then().statusCode(204);
        }
        root().get("policies/several").then().body("blocked", equalTo(2));

        root().delete("policies/several/blocked").then().statusCode(204);

        root().get("policies/several/blocked").then().body("keys", equalTo(List.of()));
    }

    @Test
    void listsShowWhoChangedSomethingWhenAndWhy() {
        String path = "policies/users/keys/" + caller;
        root().body("{\"duration\": \"1h\", \"reason\": \" scraper \"}").put(path + "/block").then().statusCode(204);
        root().body("{\"permits\": 9, \"reason\": \"\"}").put(path + "/override").then().statusCode(204);

        String ofCaller = "find { it.key == 'principal=" + caller + "' }";
        root().get("policies/users/blocked").then().body("keys." + ofCaller + ".reason", equalTo("scraper"))
                .body("keys." + ofCaller + ".changedBy", equalTo("root"));
        root().get("policies/users").then().body("overrides." + ofCaller + ".reason", equalTo(""))
                .body("overrides." + ofCaller + ".changedBy", equalTo("root"));
        state("users", caller).body("block.reason", equalTo("scraper")).body("override.changedBy", equalTo("root"));
        root().delete(path).then().statusCode(204);
        root().delete(path + "/override").then().statusCode(204);
        admin.policy("users").forKey(caller).block(Duration.ofHours(1));
        root().get("policies/users/blocked").then().body("keys." + ofCaller, not(hasKey("changedBy")));
        admin.policy("users").forKey(caller).unblock();
    }

    @ParameterizedTest
    @ValueSource(strings = { "200 characters are enough for a reason", "line\\nend", "bell\\u0007" })
    void reasonHasABoundAndNoControlCharacters(String reason) {
        String text = reason.startsWith("200") ? "x".repeat(201) : reason;
        problem(400, root().body("{\"duration\": \"1h\", \"reason\": \"" + text + "\"}").put("policies/users/keys/a/block"))
                .body("detail", startsWith("reason must have at most 200 characters"));
        problem(400, root().body("{\"duration\": \"1h\", \"reason\": 5}").put("policies/users/keys/a/block"))
                .body("detail", equalTo("reason must be a text, but is 5."));
        problem(400, root().delete("policies/users/keys/a/block?reason=" + "x".repeat(201)))
                .body("detail", startsWith("reason must have at most 200 characters"));
    }

    @Test
    void keyIsBlockedAndUnblocked() {
        String blocked = "blocked-" + caller;
        RateLimiter limiter = limiters.get("users").forKey(blocked);

        root().body("{\"duration\": \"1h\"}").put("policies/users/keys/" + blocked + "/block").then().statusCode(204);

        assertThat(limiter.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        state("users", blocked).body("allowed", equalTo(false)).body("denialReason", equalTo("blocked"))
                .body("remaining", equalTo(0)).body("retryAfter", greaterThan(3590f));
        root().delete("policies/users/keys/" + blocked + "/block").then().statusCode(204);
        assertThat(limiter.tryAcquire().allowed()).isTrue();

        root().body("{\"duration\": \"1h\"}").put("policies/users/keys/" + blocked + "/block").then().statusCode(204);
        root().delete("policies/users/keys/" + blocked).then().statusCode(204);
        assertThat(limiter.tryAcquire().allowed()).isTrue();
    }

    @Test
    void blockedKeysAreListed() {
        String path = "policies/users/keys/" + caller + "/block";
        root().body("{\"duration\": \"1h\"}").put(path).then().statusCode(204);

        root().get("policies/users/blocked").then().statusCode(200).body("policy", equalTo("users"))
                .body("keys.find { it.values == ['" + caller + "'] }.key", equalTo("principal=" + caller))
                .body("keys.find { it.values == ['" + caller + "'] }.timeLeft", greaterThan(3590f))
                .body("keys.find { it.values == ['" + caller + "'] }.denialReason", equalTo("blocked"));
        root().delete(path).then().statusCode(204);
        root().get("policies/users/blocked").then().body("keys.key", not(hasItem("principal=" + caller)));
    }

    @Test
    void keyThatShadowModeWouldBlockIsListed() {
        String path = "policies/trial/keys/203.0.113.7/block";
        root().body("{\"duration\": \"1h\"}").put(path).then().statusCode(204);

        state("trial", "203.0.113.7").body("allowed", equalTo(true)).body("limits.default.retryAfter", greaterThan(3590f));
        root().get("policies/trial/blocked").then().body("keys[0].values", contains("203.0.113.7"));
        root().delete(path).then().statusCode(204);
        root().get("policies/trial/blocked").then().body("keys", equalTo(List.of()));
        state("trial", "203.0.113.7").body("limits.default.retryAfter", equalTo(0f));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "sha256:" })
    void digestIsLookedUpBlockedOverriddenAndResetByItsValueAndByItself(String prefix) {
        RateLimiter secret = limiters.get("quotes").forKey(caller);
        String path = "policies/quotes/keys/" + (prefix.isEmpty() ? caller : prefix + digest(caller));

        root().body("{\"duration\": \"1h\"}").put(path + "/block").then().statusCode(204);
        assertThat(secret.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        root().get(path).then().body("key", equalTo(secret.peek().key())).body("denialReason", equalTo("blocked"));
        root().get("policies/quotes/blocked").then().body("keys.find { it.key == '" + secret.peek().key() + "' }.values",
                contains("sha256:" + digest(caller)));
        root().delete(path + "/block").then().statusCode(204);
        root().body("{\"permits\": 9}").put(path + "/override").then().statusCode(204);
        assertThat(secret.peek().permits()).isEqualTo(9);
        root().delete(path + "/override").then().statusCode(204);
        secret.tryAcquire();
        root().delete(path).then().statusCode(204);
        assertThat(secret.peek()).returns(2L, RateLimitDecision::permits).returns(2L, RateLimitDecision::remaining);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "trial/keys/not-an-ip; \"not-an-ip\" is not an IP address, so no caller has this key. Part 1 of the key ip is an"
                    + " address such as 203.0.113.7 or 2001:db8::7.",
            "trial/keys/203.0.113.300; \"203.0.113.300\" is not an IP address",
            "pairs/keys/alice/192.0.2.1; \"alice\" is not an IP address",
            "quotes/keys/sha256:123; \"sha256:123\" is no digest",
            "trial/keys/sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08; \"sha256:9f86d0",
            "everybody/keys/alice; Policy everybody has one count for all callers (key=global), so no caller has a key of its"
                    + " own. Leave out the values to change that count." })
    void keyThatNoCallerCanHaveIsExplained(String path, String detail) {
        problem(400, root().get("policies/" + path)).body("detail", startsWith(detail));
        problem(400, root().delete("policies/" + path)).body("detail", startsWith(detail));
        problem(400, root().body("{\"duration\": \"1h\"}").put("policies/" + path + "/block"))
                .body("detail", startsWith(detail));
        problem(400, root().body("{\"permits\": 1}").put("policies/" + path + "/override"))
                .body("detail", startsWith(detail));
    }

    @ParameterizedTest
    @ValueSource(strings = { "192.0.2.1", "2001:db8::7", "2001:db8:1:2::%2F64", "%3A%3Affff:192.0.2.1" })
    void anyAddressIsAKey(String address) {
        state("trial", address).body("allowed", equalTo(true));
    }

    @Test
    void overrideForAKeyThatNoCallerCanHaveFails() {
        Limit ten = Limit.tokenBucket(10);
        assertThatIllegalArgumentException().isThrownBy(() -> admin.policy("trial").forKey("not-an-ip").override(ten))
                .withMessageStartingWith("\"not-an-ip\" is not an IP address");
        assertThatIllegalArgumentException().isThrownBy(() -> admin.policy("trial").forKey("not-an-ip").removeOverride());
        assertThatIllegalArgumentException().isThrownBy(() -> admin.policy("trial").forKey("not-an-ip").limits());
    }

    @Test
    void blockIsCheckedBeforeItIsApplied() {
        problem(400, root().body("{\"duration\": \"367d\"}").put("policies/users/keys/a/block")).body("detail",
                startsWith("The time of a block must be 1 ms to 366 days"));
        problem(400, root().body("{}").put("policies/users/keys/a/block")).body("detail", startsWith("duration is missing."));
        problem(400, root().body("{\"duration\": \"soon\"}").put("policies/users/keys/a/block")).body("detail",
                startsWith("duration must be a duration like"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "{\"limits\": {\"default\": | The body is no JSON, line 1, column",
            "[1] | The body must be a JSON object",
            "'' | The body must be a JSON object",
            "{} | permits is missing. Give permits, period or burst.",
            "{\"limits\": {}} | limits is missing or empty. Write {\"limits\": {\"default\": {\"permits\": 20}}}.",
            "{\"limits\": 5} | limits must be a JSON object, but is 5.",
            "{\"limits\": {\"defualt\": {\"permits\": 1}}} | limits.defualt is not known. Known: default.",
            "{\"limits\": {\"default\": {\"permitz\": 1}}} | limits.default.permitz is not known. Known: permits, period, burst.",
            "{\"limits\": {\"default\": {\"permits\": \"9\"}}} | limits.default.permits must be a whole number from 1 to 1000000000, but is \"9\".",
            "{\"limits\": {\"default\": {\"permits\": 0}}} | limits.default.permits must be a whole number",
            "{\"limits\": {\"default\": {\"permits\": 1.5}}} | limits.default.permits must be a whole number",
            "{\"limits\": {\"default\": {\"permits\": 99999999999999999999}}} | limits.default.permits must be a whole number",
            "{\"limits\": {\"default\": {}}} | limits.default.permits is missing.",
            "{\"permits\": 5, \"period\": \"soon\"} | period must be a duration like",
            "{\"permits\": 5, \"period\": [1]} | period must be a duration like",
            "{\"permits\": 5, \"period\": \" \"} | period must be a duration like",
            "{\"permits\": 5, \"duration\": \"\"} | duration must be a duration like",
            "{\"permits\": 5, \"period\": \"0s\"} | period must be PT0.001S to PT8784H",
            "{\"permits\": 5, \"duration\": \"500d\"} | duration must be 1 s to 366 days",
            "{\"permits\": 5, \"duration\": -1} | duration must be 1 s to 366 days",
            "{\"permits\": 5, \"constructor\": 1} | constructor is not known.",
    })
    void badBodyIsExplained(String body, String detail) {
        problem(400, root().body(body).put("policies/users/override")).body("detail", startsWith(detail));
    }

    @Test
    void propertyThatALimitDoesNotHaveIsExplained() {
        problem(400, root().body("{\"limits\": {\"daily\": {\"period\": \"1h\"}}}").put("policies/several/override"))
                .body("detail", equalTo("limits.daily.period has no meaning for this limit. Leave it out."));
        problem(400, root().body("{\"limits\": {\"daily\": {\"burst\": 3}}}").put("policies/several/override"))
                .body("detail", equalTo("limits.daily.burst has no meaning for this limit. Leave it out."));
        problem(400, root().body("{\"permits\": 3}").put("policies/several/override"))
                .body("detail", containsString("Limits of policy several: daily, short."));
    }

    @Test
    void badPathIsExplained() {
        problem(404, root().get("policies/nothing")).body("detail", startsWith("No policy has the name \"nothing\"."));
        problem(404, root().get("policies/nothing/keys/a"));
        problem(404, root().body("{\"permits\": 3}").put("policies/nothing/override"));
        problem(404, root().get("polices"));
        problem(404, root().get("policies/users/least-denied"));
        problem(400, root().get("policies/users/keys/")).body("detail", startsWith("A value of the key is empty."));
        problem(400, root().get("policies/users/keys/a/b")).body("detail", containsString("has 1 part:"));
        problem(400, root().get("policies/users/keys")).body("detail", containsString("has 1 part:"));
        problem(400, root().get("policies/users/most-denied?count=many")).body("detail",
                equalTo("count must be a whole number, but is many."));
        problem(400, root().get("policies/users/most-denied?count=101")).body("detail", startsWith("count must be 1 to 100"));
        assertThat(problem(405, root().post("policies/users/keys/a")).extract().header("Allow")).isEqualTo("DELETE, GET, HEAD");
        problem(405, root().get("policies/users/override"));
    }

    @Test
    void bodyThatIsTooLargeIsDropped() {
        String large = "{\"permits\": 5, \"duration\": \"" + "9".repeat(10 * 1024 * 1024) + "\"}";

        problem(413, root().body(large).put("policies/users/override")).body("detail", containsString("65536"));
        problem(415, root().contentType("text/plain").body(large).put("policies/users/override"));
        problem(403, given().auth().preemptive().basic("bob", "bob").contentType(ContentType.JSON).body(large)
                .put(url("policies/users/override")));

        root().get("policies/users").then().body("limits.default.permits", equalTo(3));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "admin.js", "policies", "policies/users", "policies/users/keys/a", "nothing" })
    void onlyCallersWithARoleHaveAccess(String path) {
        Response anonymous = given().get(url(path));
        assertThat(anonymous.statusCode()).isEqualTo(401);
        assertThat(anonymous.header("WWW-Authenticate")).startsWith("basic");
        problem(401, anonymous);
        assertThat(given().auth().preemptive().basic("root", "wrong").get(url(path)).statusCode()).isEqualTo(401);
        problem(403, given().auth().preemptive().basic("bob", "bob").get(url(path)))
                .body("detail", containsString("quarkus.rate-limit.admin.roles-allowed"));
    }

    @Test
    void nobodyElseChangesLimits() {
        limiters.get("users").forKey(caller).tryAcquire(2);
        for (RequestSpecification other : List.of(given(), given().auth().preemptive().basic("bob", "bob"))) {
            assertThat(other.delete(url("policies/users/keys/" + caller)).statusCode()).isIn(401, 403);
            assertThat(other.contentType(ContentType.JSON).body("{\"permits\": 50}").put(url("policies/users/override"))
                    .statusCode()).isIn(401, 403);
        }

        state("users", caller).body("remaining", equalTo(1)).body("limits.default.capacity", equalTo(3));
    }

    @ParameterizedTest
    @CsvSource({ "Sec-Fetch-Site, cross-site", "Sec-Fetch-Site, same-site", "Origin, https://evil.example", "Origin, null" })
    void pagesOfOtherOriginsChangeNothingAndReadNothing(String header, String value) {
        limiters.get("users").forKey(caller).tryAcquire(2);

        problem(403, root().header(header, value).delete("policies/users/keys/" + caller));
        problem(403, root().header(header, value).body("{\"permits\": 50}").put("policies/users/override"));
        problem(403, root().header(header, value).get("policies"));
        assertThat(root().header(header, value).get("").statusCode()).isEqualTo(200);

        state("users", caller).body("remaining", equalTo(1));
    }

    @Test
    void pagesOfTheSameOriginHaveAccess() {
        root().header("Sec-Fetch-Site", "same-origin").header("Origin", "https://shop.example").get("policies").then()
                .statusCode(200);
        root().header("Origin", "http://localhost:" + RestAssured.port).get("policies").then().statusCode(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "text/plain", "application/x-www-form-urlencoded", "application/xml" })
    void bodiesOfFormsAreNotRead(String type) {
        problem(415, root().contentType(type).body("{\"permits\": 50}").put("policies/users/override"));
        root().contentType("application/json;charset=utf-8").body("{}").put("policies/users/override").then().statusCode(400);
    }

    @Test
    void pageRunsOnlyItsOwnScripts() {
        Response page = root().get("");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.contentType()).isEqualTo("text/html;charset=UTF-8");
        assertThat(page.header("Content-Security-Policy")).startsWith("default-src 'none'; script-src 'self';")
                .doesNotContain("unsafe");
        assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.header("Cache-Control")).isEqualTo("no-store");
        assertThat(root().get("admin.js").contentType()).startsWith("text/javascript");
        assertThat(root().get("admin.css").contentType()).startsWith("text/css");
        assertThat(given().auth().preemptive().basic("root", "root").redirects().follow(false).get("/q/rate-limit"))
                .returns(308, Response::statusCode).returns("rate-limit/", redirect -> redirect.header("Location"));
    }

    private String digest(String value) {
        return limiters.get("quotes").forKey(value).peek().key().replace("header:x-api-key*", "");
    }

    private void deny(String policy, String key) {
        RateLimiter limiter = limiters.get(policy).forKey(key);
        assertThat(limiter.tryAcquire(1_000).allowed()).isFalse();
    }

    private static ValidatableResponse state(String policy, String key) {
        return root().get("policies/" + policy + "/keys/" + key).then().statusCode(200).body("$", hasKey("limits"));
    }

    private static ValidatableResponse problem(int status, Response response) {
        return response.then().statusCode(status).contentType("application/problem+json").body("status", equalTo(status));
    }

    private static String url(String path) {
        return "/q/rate-limit/" + path;
    }

    /** A request of an operator, to paths below the root of the administration. */
    private static RequestSpecification root() {
        return given().urlEncodingEnabled(false).auth().preemptive().basic("root", "root")
                .basePath("/rate-limit-shop/q/rate-limit/")
                .contentType(ContentType.JSON);
    }

    @ParameterizedTest
    @CsvSource({ "policies/users, 1", "policies/users, 2", "policies/unknown, 1" })
    void connectionClosesWhenTheResponseCannotBeWritten(String path, int failures) {
        assertThatThrownBy(() -> root().header("X-Failures", failures).get(path)).isInstanceOf(NoHttpResponseException.class);
    }

    /** A filter of the application that fails while responses are written. */
    @ApplicationScoped
    public static class FailingResponses {

        void register(@Observes Filters filters) {
            filters.register(routing -> {
                String failures = routing.request().getHeader("X-Failures");
                AtomicInteger left = new AtomicInteger(failures == null ? 0 : Integer.parseInt(failures));
                routing.addHeadersEndHandler(ignored -> {
                    if (left.getAndDecrement() > 0) {
                        throw new IllegalStateException("on purpose");
                    }
                });
                routing.next();
            }, 10);
        }
    }
}
