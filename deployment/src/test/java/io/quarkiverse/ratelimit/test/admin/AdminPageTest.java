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

import org.awaitility.core.ConditionFactory;
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
import io.quarkiverse.ratelimit.test.admin.fixtures.Administered;
import io.quarkiverse.ratelimit.test.admin.fixtures.Calls;
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
                test("chainLeadsToThePoliciesThatPay", this::chain),
                test("policyDeniesNobodyUntilItIsEnforced", this::shadowAndEnforce),
                test("policiesAndKeysHaveAddressesWithoutSecrets", this::addresses),
                test("attackIsSurveyedAndEnded", this::attack),
                test("keyIsBlockedFromTheKeyboardAlone", this::keyboardWalk),
                test("keyDoesNotTurnTheTextAroundIt", this::mirroredKeys),
                test("digestsAndCommandsAreCopied", this::copied),
                test("chosenPolicyIsSeenInForcedColors", this::forcedColors),
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
        shows("state", "principal=" + caller, "denied for another", "0 of 3 left", "3 per 30 min, full in");

        given().port(port).post("/calls/clock/600").then().statusCode(204);
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
        shows("dialog-error", "Write for how long, such as 30m or 1d");
        assertThat(find("[name='duration']")).returns("true", field -> field.getDomAttribute("aria-invalid"))
                .returns("dialog-error", field -> field.getDomAttribute("aria-describedby"))
                .isEqualTo(browser.switchTo().activeElement());
        assertThat(browser.findElements(By.tagName("img"))).isEmpty();
        press(find("cancel"), Keys.ESCAPE);
        await().until(() -> !browser.findElement(By.id("dialog")).isDisplayed());
        shows("state", "short: 3 of 3 left");
        press(find("override"), Keys.ENTER);
        type("[name='permits.short']", "20");
        type("[name='duration']", "30m" + Keys.ENTER);

        shows("message", "Overrode the limits of principal=" + caller + '.');
        shows("state", "short: 20 of 20 left", "daily: 10 of 10 left", "Overridden for another", "short: 20 per hour");
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
        shows("overrides", "principal=" + caller, "short: 20 per hour, for another 1 h");
        clickInRow("overrides", caller, "Remove…");
        shows("dialog",
                "principal=" + caller + " gets the limits of all other callers: daily: 10 per day (UTC); short: 3 per hour.");
        click("confirm");
        shows("state", "short: 3 of 3 left");
    }

    private void policyIsOverridden() {
        choose("quotes");
        click("policy-override");
        type("[name='permits.default']", "50");
        click("[name='forever']");
        click("confirm");
        shows("limits", "50 per hour, configured 2 per hour");
        shows("policy-badges", "overridden until removed, by root at ");
        assertThat(acquire("quotes", 50, caller)).startsWith("true");

        click("policy-remove");
        shows("dialog", "All callers of quotes get the configured limits: 2 per hour.");
        click("confirm");
        await().until(() -> !find("limits").getText().contains("configured"));
        shows("limits", "2 per hour");
        shows("rules", "While Redis is unavailable: counts on each instance.");
        shows("uses-summary", "Used by 1 method and 1 route");
    }

    private void chain() {
        choose("visits");
        shows("rules", "Chain: visits > wallets > vouchers. The first that allows a call pays for it.");
        type("part-0", caller + Keys.ENTER);
        shows("state", "1 of 1 left");
        for (String message : List.of("Allowed: 0 left.", "Allowed, paid by wallets: 1 left.",
                "Allowed, paid by wallets: 0 left.", "Allowed, paid by vouchers: 0 left.", "Denied: 0 left, allowed in ")) {
            press(find("acquire"), Keys.SPACE);
            shows("message", message);
        }
        shows("state", "0 of 1 left");
        CHROMIUM.isAccessible("body");
        screenshot("chain");

        press(find("//ul[@id='rules']//a[. = 'wallets']"), Keys.ENTER);
        shows("policy-title", "wallets");
        assertThat(browser.getCurrentUrl()).endsWith("#wallets");
        assertThat(focused()).isEqualTo("policy-title");
        shows("rules", "Chain: wallets > vouchers. ", "Overflow of visits: pays for calls that it denies.");
        click("//ul[@id='rules']//a[. = 'vouchers']");
        shows("rules", "Overflow of wallets: ");
        assertThat(find("rules").getText()).doesNotContain("Chain");
        click("//ul[@id='rules']//a[. = 'wallets']");
        click("//ul[@id='rules']//a[. = 'visits']");
        shows("policy-title", "visits");
    }

    private void shadowAndEnforce() {
        acquire("users", 3, caller);
        choose("users");
        click("shadow");
        type("[name='duration']", "2h");
        type("[name='reason']", "false alarm" + Keys.ENTER);
        shows("message", "users denies nobody.");
        shows("policy-badges", "shadow mode for another", "by root at ", ": false alarm");
        assertThat(acquire("users", 1, caller)).startsWith("true");
        assertThat(browser.switchTo().activeElement().getDomAttribute("id")).isEqualTo("policy-title");

        click("enforce");
        click("confirm");
        shows("message", "users denies calls again.");
        assertThat(acquire("users", 1, caller)).startsWith("false");
    }

    private void addresses() {
        choose("users");
        type("part-0", caller + Keys.ENTER);
        shows("state", "3 of 3 left");
        assertThat(browser.getCurrentUrl()).endsWith("#users/" + caller);
        assertThat(browser.getTitle()).startsWith("users \u2013 Rate limits");
        choose("pairs");
        browser.navigate().back();
        shows("policy-title", "users");
        shows("state", "principal=" + caller, "3 of 3 left");

        choose("quotes");
        acquire("quotes", 1, caller);
        type("part-0", caller + Keys.ENTER);
        shows("state", caller, "1 of 2 left");
        assertThat(browser.getCurrentUrl()).contains("#quotes/sha256%3A").doesNotContain(caller);
        browser.navigate().refresh();
        shows("state", "header:x-api-key*", "1 of 2 left");
        shows("who", "logged in as root");
    }

    private void attack() {
        choose("many-399");
        for (int key = 100; key < 150; key++) {
            acquire("many-399", 1, "203.0.113." + key);
            acquire("many-399", 1, "203.0.113." + key);
            if (key < 120) {
                given().port(port).auth().preemptive().basic("root", "root").contentType("application/json")
                        .body("{\"duration\": \"1h\"}")
                        .put("/q/rate-limit/policies/many-399/keys/203.0.113." + key + "/block").then().statusCode(204);
            }
        }
        shows("denied-more", "Show all 50");
        shows("blocked-more", "Show all 20");
        assertThat(browser.findElements(By.cssSelector("#denied li"))).hasSize(10);
        shows("blocked-title", "Blocked keys");
        assertThat(find("blocked-number").getText()).contains("20");
        assertThat(find("denied-title").getLocation().y).isLessThan(find("blocked-title").getLocation().y);
        screenshot("attack");
        CHROMIUM.isAccessible("body");
        click("denied-more");
        await().untilAsserted(() -> assertThat(browser.findElements(By.cssSelector("#denied li"))).hasSize(50));
        type("denied-search", "113.149");
        await().untilAsserted(() -> assertThat(browser.findElements(By.cssSelector("#denied li"))).hasSize(1));
        type("denied-search", "nobody");
        shows("denied-none", "No match.");

        browser.executeScript("scrollTo(0, 0)");
        click("//nav//button[starts-with(., 'All policies')]");
        shows("hottest", "203.0.113.", "1 denial by many-399");
        screenshot("attack-all");
        CHROMIUM.isAccessible("body");
        clickInRow("hottest", "203.0.113.", "Look up");
        shows("policy-title", "many-399");
        shows("state", "203.0.113.");
        click("unblock-all");
        shows("dialog", "All 20 keys that many-399 blocks are allowed again");
        click("confirm");
        shows("message", "Unblocked all keys of many-399.");
        shows("blocked-none", "No key is blocked.");
    }

    /** From the beginning of the page to a key that is blocked and unblocked. */
    private void keyboardWalk() {
        choose("users");
        browser.executeScript("document.activeElement.blur(); scrollTo(0, 0)");
        browser.get(browser.getCurrentUrl().replaceAll("#.*", "#users"));
        browser.navigate().refresh();
        shows("policy-title", "users");
        tabTo("skip");
        press(browser.switchTo().activeElement(), Keys.ENTER);
        assertThat(focused()).isEqualTo("part-0");
        browser.switchTo().activeElement().sendKeys(caller + Keys.ENTER);
        shows("message", "principal=" + caller + ": allowed, 3 of 3 left.");

        tabTo("block");
        press(browser.switchTo().activeElement(), Keys.ENTER);
        browser.switchTo().activeElement().sendKeys(Keys.ENTER);
        shows("message", "Blocked principal=" + caller);
        await().until(() -> focused().equals("key-title"));
        tabTo("unblock");
        press(browser.switchTo().activeElement(), Keys.SPACE);
        press(browser.switchTo().activeElement(), Keys.ENTER);
        shows("message", "Unblocked principal=" + caller);
        await().until(() -> focused().equals("key-title"));
    }

    private void tabTo(String id) {
        for (int tab = 0; tab < 30 && !focused().equals(id); tab++) {
            browser.switchTo().activeElement().sendKeys(Keys.TAB);
        }
        assertThat(focused()).isEqualTo(id);
    }

    private String focused() {
        return (String) browser.executeScript("return document.activeElement.id");
    }

    private void mirroredKeys() {
        String key = caller + "\u202e" + "gnp.exe";
        choose("users");
        find("part-0");
        browser.executeScript("document.getElementById('part-0').value = arguments[0]", key);
        click("look-up");
        shows("state", "3 of 3 left");
        click("reset");
        assertThat(browser.findElement(By.cssSelector("#dialog-text bdi")).getText()).contains(caller);
        assertThat(find("dialog-text").getText()).endsWith(" gets all its permits back.");
        click("cancel");
    }

    private void copied() {
        choose("quotes");
        type("part-0", caller + Keys.ENTER);
        shows("state", caller);
        browser.executeScript("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }");
        click("copy-digest");
        await().until(() -> String.valueOf(browser.executeScript("return window.copied")).startsWith("sha256:"));
        click("block");
        type("[name='reason']", "it's a scraper");
        click("copy-curl");
        await().until(() -> String.valueOf(browser.executeScript("return window.copied")).startsWith("curl "));
        assertThat((String) browser.executeScript("return window.copied")).contains("-X PUT", "/policies/quotes/keys/",
                "\"duration\":\"10m\",\"reason\":\"it'\\''s a scraper\"");
        click("cancel");
    }

    private void forcedColors() {
        choose("users");
        CHROMIUM.prefer("forced-colors", "active");
        String border = "return getComputedStyle(document.querySelector(arguments[0])).borderLeftColor";
        assertThat(browser.executeScript(border, "nav button[aria-current]"))
                .isNotEqualTo(browser.executeScript(border, "nav button:not([aria-current])"));
        CHROMIUM.isAccessible("body");
        CHROMIUM.prefer("forced-colors", "none");
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

        clickInRow("blocked", shortened, "Unblock…");
        shows("dialog", shortened.substring(0, 17), " is allowed again, within its limits.");
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

        type("filter", "nothing");
        shows("no-match", "No match.");
        // by name, whatever other tests have denied
        click("by-denials");
        type("filter", "MANY-39" + Keys.TAB);
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
        assertThat(browser.getTitle()).startsWith("users \u2013 Rate limits");
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
        // the header stays above what is scrolled
        browser.executeScript("scrollTo(0, 0)");
        click("//nav//button[starts-with(., '" + policy + "')]");
        shows("policy-title", policy);
    }

    private void clickInRow(String list, String key, String button) {
        click("//ul[@id='" + list + "']/li[contains(., '" + key + "')]//button[. = '" + button + "']");
    }

    /** Again where the page has just replaced the element, or has moved another one to its place, which gets no click. */
    private void click(String what) {
        soon().untilAsserted(() -> browser.findElement(by(what)).click());
    }

    private void type(String field, String text) {
        find(field).sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
    }

    private static void press(WebElement focused, Keys key) {
        focused.sendKeys(key);
    }

    private void shows(String id, String... texts) {
        soon().untilAsserted(() -> assertThat(browser.findElement(By.id(id)).getText()).contains(texts));
    }

    private WebElement find(String what) {
        return soon().until(() -> browser.findElement(by(what)), WebElement::isDisplayed);
    }

    /** By id, CSS or XPath. */
    private static By by(String what) {
        return what.startsWith("//") ? By.xpath(what) : what.matches("[a-z0-9-]+") ? By.id(what) : By.cssSelector(what);
    }

    private static ConditionFactory soon() {
        return await().pollInterval(Duration.ofMillis(50)).atMost(Duration.ofSeconds(20))
                .ignoreExceptionsInstanceOf(WebDriverException.class);
    }
}
