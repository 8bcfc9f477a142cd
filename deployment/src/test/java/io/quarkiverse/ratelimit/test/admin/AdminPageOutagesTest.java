package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.formatters.PatternFormatter;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;

import io.quarkiverse.ratelimit.browser.Chromium;
import io.quarkiverse.ratelimit.test.admin.fixtures.Administered;
import io.quarkiverse.ratelimit.test.admin.fixtures.Calls;
import io.quarkiverse.ratelimit.test.health.fixtures.StoppableRedis;
import io.quarkus.test.QuarkusDevModeTest;

/** The page says what it does not know, since when, and stops to say so. Operators log in with a form. */
@Tag("slow")
class AdminPageOutagesTest {

    private static final Pattern LISTENING = Pattern.compile("Listening on: http://[^:]+:(\\d+)");
    private static final int PORT = StoppableRedis.port(AdminPageOutagesTest.class);

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium("status of 503", "status of 404");

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class, Calls.class).addAsResource(new StringAsset(
                    (Administered.POLICIES + Administered.USERS).replace("http.auth.basic", "http.auth.form.enabled")
                            .replace("quarkus.rate-limit.timeout=10s", "quarkus.rate-limit.timeout=2s") + """
                                    quarkus.http.auth.session.encryption-key=a-key-that-is-long-enough
                                    quarkus.http.port=0
                                    """ + "quarkus.redis.hosts=redis://127.0.0.1:" + PORT),
                    "application.properties"))
            .setLogRecordPredicate(entry -> entry.getLoggerName().startsWith("io.quarkus"));

    private final StoppableRedis redis = new StoppableRedis(PORT);
    private final ChromeDriver browser = CHROMIUM.driver();
    private int port;

    @BeforeEach
    void start() {
        port = APP.getLogRecords().stream().map(entry -> new PatternFormatter("%s").format((ExtLogRecord) entry))
                .map(LISTENING::matcher).filter(Matcher::find).mapToInt(listening -> Integer.parseInt(listening.group(1)))
                .findFirst().orElseThrow();
        redis.start();
    }

    @AfterEach
    void stop() {
        // the page reads again and again, and the application stops before the browser
        browser.get("about:blank");
        redis.close();
    }

    @Test
    void outageOfRedisIsShownUntilItEnds() {
        open();
        deny();
        shows("hottest", "principal=alice", "1 denial by users");
        choose("trial");
        shows("blocked-none", "No key is blocked.");

        redis.close();

        shows("problem", "Redis is unavailable. What is shown may be out of date since ");
        shows("denied-none", "Unknown since ");
        shows("blocked-none", "Unknown since ");
        shows("policies", "denials unknown");
        CHROMIUM.isAccessible("body");
        screenshot("redis-unavailable");
        choose("users");
        shows("blocked-none", "No key is blocked.");
        shows("denied-none", "Unknown since ");

        redis.start();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(text("problem")).isEmpty());
        shows("denied-none", "No key was denied.");
        shows("updated", "Updated ");
    }

    @Test
    void expiredLoginLeadsToTheLogin() {
        open();
        choose("users");
        shows("denied-title", "Denied most");

        browser.manage().deleteAllCookies();

        shows("problem", "Your login has expired.", "Log in again");
        CHROMIUM.isAccessible("body");
        screenshot("login-expired");
        browser.findElement(By.id("login")).click();
        await().until(() -> browser.getCurrentUrl().contains("login"));
    }

    private void deny() {
        given().port(port).formParam("key", "alice").post("/calls/users/9");
    }

    /** Logs in, and opens the page. */
    private void open() {
        CHROMIUM.size(1280, 1000);
        browser.get(url("/q/rate-limit/admin.css"));
        browser.executeScript("""
                return fetch('/j_security_check', {method: 'POST', body: new URLSearchParams({j_username: 'root',
                    j_password: 'root'}), redirect: 'manual'}).then(() => true)""");
        browser.get(url("/q/rate-limit/"));
        shows("policies", "users");
    }

    private String url(String path) {
        return "http://localhost:" + port + path;
    }

    private void choose(String policy) {
        await().ignoreExceptionsInstanceOf(WebDriverException.class).untilAsserted(() -> browser.findElement(
                By.xpath("//nav//button[starts-with(., '" + policy + "')]")).click());
        shows("policy-title", policy);
    }

    private String text(String id) {
        return browser.findElement(By.id(id)).getText();
    }

    private void shows(String id, String... texts) {
        await().atMost(Duration.ofSeconds(30)).ignoreExceptionsInstanceOf(WebDriverException.class)
                .untilAsserted(() -> assertThat(text(id)).contains(texts));
    }

    private static void screenshot(String name) {
        if (Boolean.getBoolean("screenshots")) {
            for (String theme : List.of("dark", "light")) {
                CHROMIUM.prefer("prefers-color-scheme", theme);
                CHROMIUM.screenshot("admin-" + name + '-' + theme);
            }
        }
    }
}
