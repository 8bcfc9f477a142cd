package io.quarkiverse.ratelimit.test.devui;

import static io.restassured.RestAssured.given;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.chrome.ChromeDriver;

import io.quarkiverse.ratelimit.browser.Chromium;
import io.quarkiverse.ratelimit.test.devui.fixtures.DevUi;
import io.quarkiverse.ratelimit.test.devui.fixtures.JsonRpc;
import io.quarkiverse.ratelimit.test.devui.fixtures.LimitedShop;
import io.quarkus.test.QuarkusDevModeTest;
import io.restassured.http.ContentType;
import io.vertx.core.json.JsonObject;

/** The pages of the Dev UI, all in one start. */
@Tag("slow")
class DevUiTest {

    /** The Dev UI reloads its own data after a live reload, sometimes before the new application is ready. */
    private static final String LOADED_AFTER_A_RELOAD = "/devui-data.js?";
    private static final Pattern PORT = Pattern.compile("Listening on: http://[^:]+:(\\d+)");

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium(LOADED_AFTER_A_RELOAD);

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClass(LimitedShop.class)
                    .addAsResource(new StringAsset(LimitedShop.CONFIGURATION), "application.properties"))
            .setLogRecordPredicate(entry -> entry.getLoggerName().startsWith("io.quarkus"));

    private int port;
    private DevUi ui;

    @TestFactory
    Stream<DynamicTest> devUi() {
        port = APP.getLogRecords().stream().map(DevUiTest::message).map(PORT::matcher).filter(Matcher::find)
                .mapToInt(listening -> Integer.parseInt(listening.group(1))).findFirst().orElseThrow();
        ui = new DevUi(CHROMIUM, port);
        CHROMIUM.size(1280, 1300);
        return Stream.of(
                dynamicTest("cardHasAPageForEachTask", this::card),
                dynamicTest("configurationShowsTypesAndAllowedValues", this::configuration),
                dynamicTest("administrationIsOnWithoutConfiguration", () -> inFrame(this::administration)),
                dynamicTest("administrationFollowsTheTheme", () -> inFrame(this::theme)),
                dynamicTest("administrationIsClosedToOtherSites", this::otherSites),
                dynamicTest("toolsReadAndAdminister", this::toolCalls),
                dynamicTest("mistakesOfToolsAreExplained", this::toolMistakes),
                dynamicTest("entryPointsShowHowTheyAreLimited", this::entryPoints),
                dynamicTest("decisionsAreShownLive", this::decisions),
                dynamicTest("decisionsShowWhoPays", this::overflows),
                dynamicTest("pagesFollowALiveReload", this::liveReload));
    }

    /** With an icon that the application itself serves. */
    private void card() {
        ui.open("extensions", "qwc-extensions");

        ui.shows("Rate Limit", "Administration", "What is limited", "Live decisions");
        await().until(() -> (Boolean) CHROMIUM.driver().executeScript("""
                const icon = document.querySelector('qwc-extensions').shadowRoot
                    .querySelector("qwc-extension[name='Rate Limit'] img");
                return icon?.naturalWidth > 0 && icon.src.startsWith(location.origin)"""));
        ui.screenshot("card");
    }

    /** A test that fails there leaves the frame, too, so that the next ones find their pages. */
    private void inFrame(Runnable test) {
        try {
            test.run();
        } finally {
            ui.leave();
        }
    }

    /** As Quarkus' own page gets it. */
    private void configuration() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            List<JsonObject> properties = rpc.configuration().stream().map(JsonObject.class::cast).toList();
            Map<String, String> types = properties.stream()
                    .filter(property -> property.getString("name").startsWith("quarkus.rate-limit.")
                            && property.containsKey("typeName"))
                    .collect(toMap(property -> property.getString("name"),
                            property -> property.getString("typeName") + " " + property.getJsonArray("allowedValues")));

            assertThat(properties).as("a default is the current value")
                    .extracting(property -> property.getJsonObject("configValue"))
                    .filteredOn(value -> value.getBoolean("default"))
                    .extracting(value -> value.getString("name") + "=" + value.getString("value"))
                    .contains("quarkus.rate-limit.ipv6-prefix=64", "quarkus.rate-limit.policies.*.algorithm=token-bucket");
            assertThat(types).containsEntry("quarkus.rate-limit.timeout", "java.time.Duration []")
                    .containsEntry("quarkus.rate-limit.policies.*.permits", "java.lang.Long []")
                    .containsEntry("quarkus.rate-limit.on-redis-failure", "java.lang.Enum [\"LOCAL\",\"ALLOW\",\"DENY\"]");
        }
    }

    private void administration() {
        ui.open("quarkus-rate-limit/administration", "qwc-rate-limit-administration");
        ChromeDriver page = ui.enter();
        choose(page, "quotes");
        page.findElement(By.id("part-0")).sendKeys("alice" + Keys.ENTER);
        shows(page, "state", "3 of 3 left");

        page.findElement(By.id("cost")).sendKeys(Keys.chord(Keys.CONTROL, "a"), "2" + Keys.ENTER);
        shows(page, "message", "Allowed: 1 left.");
        shows(page, "state", "1 of 3 left");
        // by keyboard, as news of the key moves the button
        page.findElement(By.id("acquire")).sendKeys(Keys.ENTER);
        shows(page, "message", "Denied: 1 left, allowed in 20 min.");
        ui.leave();
        ui.screenshot("administration");
        ui.enter();
        page.findElement(By.id("cost")).sendKeys(Keys.chord(Keys.CONTROL, "a"), "4" + Keys.ENTER);
        shows(page, "message", "Denied: this cost can never be allowed.");
        String block = "/q/rate-limit/policies/quotes/keys/alice/block";
        given().port(port).contentType(ContentType.JSON).body("{\"duration\": \"90m\"}").put(block).then().statusCode(204);
        page.findElement(By.id("cost")).sendKeys(Keys.ENTER);
        shows(page, "message", "Denied: blocked for another 1 h ");
        given().port(port).delete(block).then().statusCode(204);

        choose(page, "mails");
        assertThat(page.findElement(By.id("acquire-form")).isDisplayed()).as("for a limit of concurrency").isFalse();
        given().port(port).post("/q/rate-limit/policies/mails/keys/worker").then().statusCode(400)
                .body("detail", startsWith("Policy mails limits concurrency"));
        ui.leave();
        assertThat(ui.find("iframe").getDomProperty("title")).isEqualTo("Administration of rate limits");
    }

    /** Also where the browser prefers another one. */
    private void theme() {
        for (String other : List.of("light", "dark")) {
            String theme = other.equals("dark") ? "light" : "dark";
            CHROMIUM.prefer("prefers-color-scheme", other);
            ui.theme(theme);
            ChromeDriver page = ui.enter();
            await().until(() -> page.executeScript("return getComputedStyle(document.body).backgroundColor"),
                    theme.equals("dark") ? "rgb(18, 22, 29)"::equals : "rgb(245, 246, 248)"::equals);
            ui.leave();
        }
    }

    /** Nobody logs in, so the name of the host has to be known. */
    private void otherSites() {
        given().port(port).header("Host", "evil.example").get("/q/rate-limit/policies").then().statusCode(403);
        given().port(port).header("Origin", "https://evil.example").post("/q/rate-limit/policies/quotes/keys/alice").then()
                .statusCode(403);
        given().port(port).get("/q/rate-limit/").then().statusCode(200)
                .header("Content-Security-Policy", containsString("frame-ancestors 'self'"));
    }

    private void toolCalls() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            Map<String, Object> key = Map.of("policy", "quotes", "key", "tools%2Falice");
            assertThat(rpc.call("policies", Map.of()).getJsonArray("policies")).hasSize(5)
                    .extracting(policy -> ((JsonObject) policy).getString("overflow")).containsOnly("spare", null);
            assertThat(rpc.call("entryPoints", Map.of()).getJsonArray("routes")).hasSize(1);
            assertThat(rpc.call("keyState", key).getInteger("remaining")).isEqualTo(3);

            assertThat(rpc.call("override", with(key, Map.of("limit", "default", "permits", 7, "duration", "10m")))
                    .getInteger("remaining")).isEqualTo(7);
            assertThat(rpc.call("removeOverride", key).getInteger("remaining")).isEqualTo(3);
            assertThat(rpc.call("block", with(key, Map.of("duration", "1h"))).getString("denialReason")).isEqualTo("blocked");
            assertThat(call("tools/alice")).isEqualTo(429);
            assertThat(rpc.call("blockedKeys", key).getJsonArray("keys")).hasSize(1);
            await().untilAsserted(() -> assertThat(rpc.call("mostDenied", key).getJsonArray("keys")).hasSize(2));
            assertThat(rpc.call("unblock", key).getBoolean("allowed")).isTrue();
            call("tools/alice");
            assertThat(rpc.call("keyState", key).getInteger("remaining")).isEqualTo(2);
            assertThat(rpc.call("reset", key).getInteger("remaining")).isEqualTo(3);
            shadowAndDigests(rpc, rpc.call("keyState", key).getJsonArray("values").getString(0));
        }
    }

    private void shadowAndDigests(JsonRpc rpc, String digest) throws InterruptedException {
        Map<String, Object> policy = Map.of("policy", "quotes", "reason", "tried by an agent");
        assertThat(digest).startsWith("sha256:");
        assertThat(rpc.call("mostDeniedOfAll", Map.of()).getJsonArray("keys").getJsonObject(0).getString("policy"))
                .isEqualTo("quotes");
        assertThat(rpc.call("block", with(policy, Map.of("key", digest, "duration", "1h"))).getJsonObject("block")
                .getString("reason")).isEqualTo("tried by an agent");
        assertThat(call("tools/alice")).isEqualTo(429);
        assertThat(rpc.call("shadow", with(policy, Map.of("duration", "1h"))).getJsonObject("shadow").getString("reason"))
                .isEqualTo("tried by an agent");
        assertThat(call("tools/alice")).isEqualTo(200);
        assertThat(rpc.call("enforce", policy).getJsonObject("shadow")).isNull();
        assertThat(call("tools/alice")).isEqualTo(429);
        assertThat(rpc.call("unblockAll", policy).getInteger("blocked")).isZero();
        assertThat(call("tools/alice")).isEqualTo(200);
        assertThat(rpc.call("reset", with(policy, Map.of("key", digest))).getInteger("remaining")).isEqualTo(3);
    }

    private void toolMistakes() throws InterruptedException {
        try (JsonRpc rpc = new JsonRpc(port)) {
            assertThat(rpc.call("keyState", Map.of("policy", "nothing", "key", "alice")).getString("error"))
                    .startsWith("No policy has the name \"nothing\"");
            assertThat(rpc.call("keyState", Map.of("policy", "searches", "key", "alice")).getString("error"))
                    .startsWith("\"alice\" is not an IP address");
            assertThat(rpc.call("block", Map.of("policy", "quotes", "key", "alice", "duration", "soon")).getString("error"))
                    .startsWith("duration must be a duration like");
            assertThat(rpc.call("block", Map.of("policy", "quotes", "key", "alice")).getString("error"))
                    .startsWith("The parameter duration is missing.");
            assertThat(rpc.call("keyState", Map.of("policy", "quotes")).getString("error"))
                    .isEqualTo("The parameter key is missing. For key=global, it is an empty text.");
            assertThat(rpc.call("reset", Map.of("key", "alice")).getString("error"))
                    .isEqualTo("The parameter policy is missing.");
            assertThat(rpc.call("reset", Map.of("policy", "quotes", "key", "a%")).getString("error")).contains("escaped");
        }
    }

    private static Map<String, Object> with(Map<String, Object> some, Map<String, Object> more) {
        Map<String, Object> all = new HashMap<>(some);
        all.putAll(more);
        return all;
    }

    private static void choose(ChromeDriver page, String policy) {
        await().ignoreExceptions().untilAsserted(
                () -> page.findElement(By.xpath("//nav//button[starts-with(., '" + policy + "')]")).click());
        shows(page, "policy-title", policy);
    }

    private static void shows(ChromeDriver page, String id, String text) {
        await().ignoreExceptions().untilAsserted(() -> assertThat(page.findElement(By.id(id)).getText()).contains(text));
    }

    private void entryPoints() {
        ui.open("quarkus-rate-limit/what-is-limited", "qwc-rate-limit-entry-points");

        String shop = LimitedShop.class.getName();
        ui.shows(shop + "#export() exports > spare 1 request filter",
                shop + "#quote() quotes 1 request filter",
                shop + "#quote(java.lang.String) searches 2 parameter 1 before the method",
                shop + "$Mailer#search() searches 1 interceptor",
                shop + "$Mailer#send(java.lang.String," + shop + "$Mail) searches 1 parameter 2: user.name interceptor",
                "orders /orders/* POST searches", shop + "$Mailer#limiter mails");
        ui.isAccessibleAndFits();
        ui.screenshot("entry-points");
    }

    private void decisions() throws InterruptedException {
        ui.open("quarkus-rate-limit/live-decisions", "qwc-rate-limit-decisions");
        ui.shows("Waiting for the next decision.");

        // decisions before the page listens are not shown
        await().until(() -> call(UUID.randomUUID().toString()) == 200 && ui.text().contains("allowed 2"));
        await().until(() -> call() == 429);

        ui.shows("quotes header:x-api-key*", "allowed 2", "allowed 0", "denied 0 20 min redis");
        try (JsonRpc rpc = new JsonRpc(port)) {
            rpc.call("block", Map.of("policy", "quotes", "key", "mallory", "duration", "90m"));
            rpc.call("override", Map.of("policy", "searches", "key", "127.0.0.1/dave", "limit", "short", "permits", 1,
                    "duration", "10m"));
        }
        await().until(() -> call("mallory") == 429);
        given().port(port).get("/quotes/dave").then().statusCode(429);
        ui.shows("denied: blocked 0 1 h 30 min", "denied: can never be allowed 1 redis");
        ui.isAccessibleAndFits();
        ui.screenshot("decisions");
        ui.type("vaadin-text-field", "DENIED");
        await().until(() -> !ui.text().contains("allowed 0"));
        ui.type("vaadin-text-field", "nobody");
        ui.shows("No decision matches the filter.");
        ui.type("vaadin-text-field", "" + Keys.BACK_SPACE);

        ui.click("#clear");
        ui.click("#pause");
        ui.shows("Paused.");
        call("carol");
        ui.click("#pause");
        await().until(() -> call("carol") == 429 && ui.text().contains("denied"));
        assertThat(ui.text()).doesNotContain("allowed 2");
    }

    private void overflows() throws InterruptedException {
        ui.open("quarkus-rate-limit/live-decisions", "qwc-rate-limit-decisions");
        try (JsonRpc rpc = new JsonRpc(port)) {
            // decisions before the page listens are not shown
            await().until(() -> {
                rpc.call("reset", Map.of("policy", "exports", "key", "127.0.0.1"));
                return export() == 200 && ui.text().contains("allowed 0");
            });
        }
        assertThat(export()).isEqualTo(200);
        assertThat(export()).isEqualTo(429);

        ui.shows("exports ip=127.0.0.1 overflow 0 1 h redis", "spare ip=127.0.0.1 allowed: pays for exports 0 redis",
                "spare ip=127.0.0.1 denied: all of exports > spare 0 30 min redis");
    }

    private void liveReload() {
        ui.open("quarkus-rate-limit/what-is-limited", "qwc-rate-limit-entry-points");
        ui.open("quarkus-rate-limit/live-decisions", "qwc-rate-limit-decisions");
        ui.shows("Waiting for the next decision.");

        APP.modifyResourceFile("application.properties", text -> text.replace("/orders/*", "/purchases/*"));
        await().atMost(Duration.ofSeconds(30)).until(() -> call() == 429 && ui.text().contains("denied"));

        ui.open("quarkus-rate-limit/what-is-limited", "qwc-rate-limit-entry-points");
        ui.shows("orders /purchases/*");
        APP.modifyResourceFile("application.properties", text -> text.replace("/purchases/*", "/sales/*")
                + "\nquarkus.rate-limit.admin.enabled=true\n");
        call();
        ui.shows("orders /sales/*");
        given().port(port).get("/q/rate-limit/policies").then().statusCode(200);
    }

    private int export() {
        return given().port(port).post("/quotes").statusCode();
    }

    private int call() {
        return call("bob");
    }

    private int call(String caller) {
        return given().port(port).header("X-Api-Key", caller).get("/quotes").statusCode();
    }

    private static String message(LogRecord entry) {
        return new PatternFormatter("%s").format((org.jboss.logmanager.ExtLogRecord) entry);
    }
}
