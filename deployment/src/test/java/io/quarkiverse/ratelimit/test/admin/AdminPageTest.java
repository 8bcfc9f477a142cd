package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.given;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.function.Executable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

import io.quarkiverse.ratelimit.browser.Chromium;
import io.quarkus.test.QuarkusDevModeTest;

/** The page for operators, in a browser, all in one start. Operators are authenticated lazily. */
@Tag("slow")
class AdminPageTest {

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium("status of 400");
    private static final Pattern PORT = Pattern.compile("Listening on: http://[^:]+:(\\d+)");

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class, Calls.class)
                    .addAsResource(new StringAsset(Administered.POLICIES + Administered.USERS + manyPolicies() + """
                            quarkus.http.auth.proactive=false
                            quarkus.http.port=0
                            """), "application.properties"))
            .setLogRecordPredicate(entry -> entry.getLoggerName().startsWith("io.quarkus"));

    private final ChromeDriver browser = CHROMIUM.driver();
    private String caller;
    private int port;

    @TestFactory
    Stream<DynamicTest> page() {
        port = APP.getLogRecords().stream().map(AdminPageTest::message).map(PORT::matcher).filter(Matcher::find)
                .mapToInt(listening -> Integer.parseInt(listening.group(1))).findFirst().orElseThrow();
        return Stream.of(
                test("keyIsShownWhileItRefillsAndIsReset", this::keyIsReset),
                test("overridesAreMadeByKeyboard", this::keyboard),
                test("policyIsOverridden", this::policyIsOverridden),
                test("keyDeniedMostIsLookedUp", this::keyDeniedMost),
                test("keyIsBlockedAndUnblockedAfterConfirmation", this::block),
                test("blockedDigestsAreListedAndUnblockedByTheirValues", this::blockedKeys),
                test("keysThatShadowModeWouldBlockAreListed", this::shadowMode),
                test("keyThatNoCallerCanHaveIsExplained", this::mistakes),
                test("permitsAreAcquiredByKeyboard", this::acquireByKeyboard),
                test("hundredsOfPoliciesAreFiltered", this::manyPoliciesAreFiltered),
                test("readersOfTheScreenGetRolesAndNames", this::rolesAndNames),
                test("anyCharactersOfAKeyAreOneValueAndNeverMarkup", this::characters),
                test("pageFitsPhones", this::phones));
    }

    private static String manyPolicies() {
        return IntStream.range(100, 400).mapToObj("quarkus.rate-limit.policies.many-%d."::formatted)
                .map(policy -> policy + "permits=1\n" + policy + "period=1h\n" + policy + "key=ip\n").collect(joining());
    }

    private DynamicTest test(String name, Executable steps) {
        return dynamicTest(name, () -> {
            caller = "alice-" + UUID.randomUUID().toString().substring(0, 8);
            CHROMIUM.size(1280, 1000);
            browser.get("http://root:root@localhost:" + port + "/q/rate-limit");
            shows("policies", "everybody", "pairs", "quotes", "several", "trial", "users");
            steps.execute();
            // the page reads again and again, and the application stops before the browser
            browser.get("about:blank");
        });
    }

    private void keyIsReset() {
        acquire("users", 3, caller);
        choose("users");
        type("part-0", caller + Keys.ENTER);
        shows("state", "principal=" + caller, "denied for another", "0 of 3 left", "3 per 30 s, full in");

        given().port(port).post("/calls/clock/10").then().statusCode(204);
        shows("state", "allowed", "1 of 3 left");

        click("reset");
        shows("dialog", "principal=" + caller + " gets all its permits back.");
        click("cancel");
        shows("state", "1 of 3 left");
        click("reset");
        click("confirm");
        shows("message", "Reset principal=" + caller + '.');
        shows("state", "3 of 3 left");
    }

    private void keyboard() {
        choose("several");
        type("part-0", caller + Keys.ENTER);
        shows("state", "short: 3 of 3 left", "daily: 10 of 10 left");

        press(find("override"), Keys.ENTER);
        type("[name='permits.short']", "20" + Keys.TAB + Keys.TAB + Keys.TAB);
        type("[name='duration']", "<img src=x>" + Keys.ENTER);
        shows("dialog-error", "duration must be a duration like", "but is \"<img src=x>\".");
        assertThat(browser.findElements(By.tagName("img"))).isEmpty();
        press(find("cancel"), Keys.ESCAPE);
        await().until(() -> !browser.findElement(By.id("dialog")).isDisplayed());
        shows("state", "short: 3 of 3 left");
        press(find("override"), Keys.ENTER);
        type("[name='permits.short']", "20");
        type("[name='duration']", "30m" + Keys.ENTER);

        shows("message", "Overrode the limits of principal=" + caller + '.');
        shows("state", "short: 20 of 20 left", "daily: 10 of 10 left", "Overridden for another", "short: 20 per minute");
        shows("overrides", "principal=" + caller);
        press(find("override"), Keys.ENTER);
        type("[name='permits.daily']", "30");
        assertThat(find("[name='duration']").getDomProperty("value")).isEqualTo("1h");
        press(find("[name='forever']"), Keys.SPACE);
        press(find("[name='permits.daily']"), Keys.ENTER);
        shows("state", "short: 20 of 20 left", "daily: 30 of 30 left", "Overridden until removed");
        press(find("remove"), Keys.SPACE);
        press(find("confirm"), Keys.ENTER);
        shows("state", "short: 3 of 3 left");

        press(find("override"), Keys.ENTER);
        type("[name='permits.short']", "20" + Keys.ENTER);
        shows("overrides", "principal=" + caller, "short: 20 per minute, for another 1 h");
        clickInRow("overrides", caller, "Remove…");
        shows("dialog", "principal=" + caller + " gets the limits of all other callers.");
        click("confirm");
        shows("state", "short: 3 of 3 left");
    }

    private void policyIsOverridden() {
        choose("quotes");
        click("policy-override");
        type("[name='permits.default']", "50");
        click("[name='forever']");
        click("confirm");
        shows("limits", "50 per hour");
        shows("policy-badges", "overridden until removed");
        assertThat(acquire("quotes", 50, caller)).startsWith("true");

        click("policy-remove");
        click("confirm");
        shows("limits", "2 per hour");
    }

    private void keyDeniedMost() {
        acquire("pairs", 9, "192.0.2.7", caller);
        choose("pairs");
        shows("denied", "ip=192.0.2.7|principal=" + caller, "1");

        clickInRow("denied", caller, "Look up");

        shows("state", "ip=192.0.2.7|principal=" + caller, "3 of 3 left");
        assertThat(find("part-0").getDomProperty("value")).isEqualTo("192.0.2.7");
    }

    private void block() {
        choose("users");
        type("part-0", caller + Keys.ENTER);
        shows("state", "3 of 3 left");

        click("block");
        shows("dialog", "All calls of principal=" + caller + " are denied, on all instances.");
        press(find("cancel"), Keys.ESCAPE);
        await().until(() -> !browser.findElement(By.id("dialog")).isDisplayed());
        assertThat(acquire("users", 1, caller)).startsWith("true");

        click("block");
        type("[name='duration']", "2h" + Keys.ENTER);
        shows("message", "Blocked principal=" + caller + '.');
        shows("state", "blocked for another");
        assertThat(acquire("users", 1, caller)).startsWith("false");

        click("unblock");
        shows("dialog", "principal=" + caller + " is allowed again, within its limits.");
        click("confirm");
        shows("message", "Unblocked principal=" + caller + '.');
        shows("state", "allowed", "2 of 3 left");
        assertThat(acquire("users", 1, caller)).startsWith("true");
    }

    private void blockedKeys() {
        acquire("quotes", 3, caller);
        String stored = acquire("quotes", 9, caller).replace("false ", "");
        String shortened = stored.replaceAll("\\*(.{8}).*(.{4})$", "*$1…$2");
        choose("quotes");
        shows("denied", shortened, "2 denials");
        shows("digests", "SHA-256");

        type("part-0", caller + Keys.ENTER);
        shows("state", stored, "2 of 2 left");
        click("block");
        type("[name='duration']", "2h" + Keys.ENTER);
        shows("blocked", shortened, "blocked for another");
        shows("denied", "2 denials, blocked for another");

        assertThat(find("blocked").findElements(By.tagName("button"))).isEmpty();
        click("unblock");
        shows("dialog", caller, " is allowed again, within its limits.");
        click("confirm");
        shows("blocked-none", "No key is blocked.");
        shows("state", "allowed");
    }

    private void shadowMode() {
        choose("trial");
        type("part-0", "192.0.2.1" + Keys.ENTER);
        shows("state", "would be allowed");
        click("block");
        type("[name='duration']", "2h" + Keys.ENTER);
        shows("blocked", "ip=192.0.2.1", "would be blocked for another");
        clickInRow("blocked", "192.0.2.1", "Look up");

        shows("state", "ip=192.0.2.1", "would be blocked for another");
        assertThat(find("part-0").getDomProperty("value")).isEqualTo("192.0.2.1");
    }

    private void mistakes() {
        choose("trial");
        type("part-0", "alice" + Keys.ENTER);
        shows("message", "\"alice\" is not an IP address, so no caller has this key.");
        assertThat(browser.findElement(By.id("state")).isDisplayed()).isFalse();
    }

    private void acquireByKeyboard() {
        choose("users");
        type("part-0", caller + Keys.ENTER);
        shows("state", "3 of 3 left");

        type("cost", "2" + Keys.ENTER);
        shows("message", "Allowed: 1 left.");
        shows("state", "1 of 3 left");
        press(find("acquire"), Keys.SPACE);
        shows("message", "Denied: 1 left, allowed in ");
        shows("denied", "principal=" + caller, "1 denial");
        type("cost", "many" + Keys.ENTER);
        shows("message", "cost must be a whole number, but is many.");
    }

    private void manyPoliciesAreFiltered() {
        CHROMIUM.size(360, 740);
        assertThat((Double) browser.executeScript("return document.getElementById('details').getBoundingClientRect().top"))
                .as("hundreds of policies do not push the chosen one off the screen").isLessThan(500);
        assertThat(width()).isLessThanOrEqualTo(360);
        screenshot("phone-many");

        type("filter", "many-39" + Keys.TAB);
        assertThat(browser.findElements(By.cssSelector("#policies li:not([hidden])"))).hasSize(10);
        press(browser.switchTo().activeElement(), Keys.ENTER);
        shows("policy-title", "many-390");
        CHROMIUM.size(1280, 1000);
        type("filter", "many" + Keys.TAB);
        screenshot("desktop-many");
    }

    private void rolesAndNames() {
        // each look at hundreds of rows would take longer than they exist
        type("filter", "several" + Keys.TAB);
        choose("several");
        acquire("several", 9, caller);
        type("part-0", caller + Keys.ENTER);
        shows("state", "short: 3 of 3 left");

        assertThat(find("#state-limits progress")).returns("progressbar", WebElement::getAriaRole)
                .returns("daily: 10 of 10 left", WebElement::getAccessibleName);
        assertThat(browser.findElement(By.id("message")).getAriaRole()).isEqualTo("status");
        assertNamed("nav, section, button, input, progress");
        click("override");
        assertThat(find("dialog")).returns("dialog", WebElement::getAriaRole)
                .returns("Override limits", WebElement::getAccessibleName);
        assertNamed("dialog button, dialog input, dialog fieldset");
        click("cancel");
    }

    private void assertNamed(String css) {
        // the page replaces rows again and again
        await().atMost(Duration.ofMinutes(1)).ignoreExceptionsInstanceOf(WebDriverException.class).untilAsserted(
                () -> assertThat(browser.findElements(By.cssSelector(css))).filteredOn(WebElement::isDisplayed).isNotEmpty()
                        .allSatisfy(one -> assertThat(one.getAccessibleName()).isNotBlank()));
    }

    private void characters() {
        for (String key : List.of("a/b?c#d%2F", "override", "block", "<script>document.title='x'</script>")) {
            String stored = acquire("users", 2, key).replace("true ", "");
            choose("users");
            type("part-0", key + Keys.ENTER);
            shows("state", key, stored, "1 of 3 left");
        }
        assertThat(browser.getTitle()).isEqualTo("Rate limits");
    }

    private void phones() {
        CHROMIUM.size(360, 740);
        choose("several");
        acquire("several", 2, caller);
        acquire("several", 9, caller);
        type("part-0", caller + Keys.ENTER);
        shows("state", "short: 1 of 3 left");
        shows("denied", "principal=" + caller);

        assertThat(width()).isLessThanOrEqualTo(360);
        screenshot("phone");
        click("override");
        screenshot("phone-override");
        assertThat(width()).isLessThanOrEqualTo(360);
        click("cancel");
        CHROMIUM.size(1280, 1000);
        screenshot("desktop");
        click("override");
        screenshot("desktop-override");
        click("cancel");
        digestsOnPhones();
    }

    private void digestsOnPhones() {
        CHROMIUM.size(390, 844);
        choose("quotes");
        acquire("quotes", 3, caller);
        type("part-0", caller + Keys.ENTER);
        shows("state", caller, "2 of 2 left");
        click("override");
        type("[name='permits.default']", "50" + Keys.ENTER);
        shows("overrides", "50 per hour");
        click("block");
        type("[name='duration']", "2h" + Keys.ENTER);
        shows("blocked", "blocked for another");
        shows("denied", "1 denial");

        assertThat(width()).isLessThanOrEqualTo(390);
        screenshot("phone-digests");
        browser.executeScript("document.getElementById('blocked-title').scrollIntoView()");
        screenshot("phone-lists");
        CHROMIUM.size(1280, 1000);
        screenshot("desktop-digests");
        click("unblock");
        click("confirm");
        shows("blocked-none", "No key is blocked.");
        click("remove");
        click("confirm");
        shows("message", "Removed the override of " + caller + " (header:x-api-key*");
        assertThat(find("message").getText()).contains("…").hasSizeLessThan(100);
    }

    private long width() {
        return (Long) browser.executeScript("return document.documentElement.scrollWidth");
    }

    /** Whether the call was allowed, and the key in its stored form. */
    private String acquire(String policy, int cost, String... key) {
        return given().port(port).formParam("key", (Object[]) key).post("/calls/" + policy + "/" + cost).asString();
    }

    private static String message(LogRecord entry) {
        return new PatternFormatter("%s").format((ExtLogRecord) entry);
    }

    /** In both themes, where they are wanted. */
    private static void screenshot(String name) {
        if (Boolean.getBoolean("screenshots")) {
            for (String theme : List.of("dark", "light")) {
                CHROMIUM.prefer("prefers-color-scheme", theme);
                CHROMIUM.screenshot("admin-" + name + '-' + theme);
            }
        }
    }

    private void choose(String policy) {
        find("//nav//button[starts-with(., '" + policy + "')]").click();
        shows("policy-title", policy);
    }

    /** Again where the page has just replaced the row. */
    private void clickInRow(String list, String key, String button) {
        await().ignoreExceptionsInstanceOf(WebDriverException.class).untilAsserted(() -> browser.findElement(By.xpath(
                "//ul[@id='" + list + "']/li[contains(., '" + key + "')]//button[. = '" + button + "']")).click());
    }

    private void click(String id) {
        find(id).click();
    }

    private void type(String field, String text) {
        find(field).sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
    }

    private static void press(WebElement focused, Keys key) {
        focused.sendKeys(key);
    }

    private void shows(String id, String... texts) {
        await().pollInterval(Duration.ofMillis(50)).atMost(Duration.ofSeconds(20))
                .ignoreExceptionsInstanceOf(WebDriverException.class)
                .untilAsserted(() -> assertThat(browser.findElement(By.id(id)).getText()).contains(texts));
    }

    /** By id, CSS or XPath. */
    private WebElement find(String what) {
        By by = what.startsWith("//") ? By.xpath(what) : what.matches("[a-z0-9-]+") ? By.id(what) : By.cssSelector(what);
        return await().pollInterval(Duration.ofMillis(50)).atMost(Duration.ofSeconds(20))
                .ignoreExceptionsInstanceOf(WebDriverException.class)
                .until(() -> browser.findElement(by), WebElement::isDisplayed);
    }
}
