package io.quarkiverse.ratelimit.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;

import io.quarkiverse.ratelimit.browser.Chromium;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;

/** The page of the demo in a browser. */
@Tag("slow")
@QuarkusTest
class PageTest {

    private static final Path README = Path.of("../README.md");
    private static final Path IMAGES = Path.of("../docs/modules/ROOT/images");

    @RegisterExtension
    static final Chromium chromium = new Chromium("ERR_INTERNET_DISCONNECTED");

    @TestHTTPResource("/")
    String page;

    @BeforeEach
    void open() {
        chromium.size(1280, 900);
        chromium.prefer("prefers-color-scheme", "light");
        chromium.driver().get(page);
        awaitReady();
    }

    @AfterEach
    void forgetSettings() {
        script("sessionStorage.clear()");
    }

    private static void awaitReady() {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> Boolean.TRUE.equals(script("return !!document.documentElement.dataset.ready")));
    }

    @Test
    void callBeyondTheLimitIsDeniedUntilTheLimitIsRaised() {
        choose("algorithm", "Sliding log");
        type("period", "60");
        type("permits", "2");
        awaitText(".left", "2 of 2 left");

        click("#one");
        awaitText("#totals", "1 allowed, 0 denied.");
        click("#one");
        awaitText("#totals", "2 allowed, 0 denied.");
        click("#one");
        awaitText("#totals", "2 allowed, 1 denied.");
        assertThat(text("#response")).contains("HTTP/1.1 429", "RateLimit-Policy: \"demo\";q=2;w=60", "Retry-After: ");

        type("permits", "5");
        awaitText(".left", "3 of 5 left");
        click("#one");
        awaitText("#totals", "3 allowed, 1 denied.");
    }

    @Test
    void bucketThatIsRefilledAllAtOnceDelaysNoCallUntilItIsEmpty() {
        choose("refill", "all at once");
        type("period", "60");
        type("max-wait", "5");
        type("burst", "15");
        awaitText(".left", "15 of 15 left");

        click("#burst-send");
        awaitText("#totals", "15 allowed, 0 denied.");
        awaitText(".left", "0 of 15 left");
    }

    /** Also the log does not take the work of another algorithm for a delay. */
    @Test
    void callOfABucketIsNotDelayedByTheWorkOfOtherAlgorithms() {
        type("max-wait", "5");
        awaitText(".words", "waits up to 5 s");

        click("#one");
        awaitText("#totals", "1 allowed, 0 denied.");
        awaitText("#log", "200 OK");
        assertThat(text("#log")).doesNotContain("delayed");
    }

    @Test
    void totalsAreAnnouncedWhenARunEnds() {
        choose("algorithm", "Sliding log");
        type("period", "60");
        awaitText(".words", "10 per 60 s");

        click("#burst-send");
        await().atMost(Duration.ofSeconds(20)).until(() -> announced().equals("10 allowed, 5 denied."));
        click("#steady");
        // more are denied meanwhile
        await().atMost(Duration.ofSeconds(20)).until(() -> !announced().equals(text("#totals")));
        assertThat(announced()).isEqualTo("10 allowed, 5 denied.");
        click("#steady");
        await().atMost(Duration.ofSeconds(20)).until(() -> announced().equals(text("#totals")));
    }

    @Test
    void settingsSurviveAReload() {
        choose("algorithm", "Sliding log");
        type("permits", "7");
        type("callers", "2");
        click("input[value=shared]");
        awaitText("[data-name=bob] .left", "7 of 7 left");

        chromium.driver().navigate().refresh();
        awaitReady();
        awaitText("[data-name=bob] .left", "7 of 7 left");
        assertThat(chromium.driver().findElement(By.cssSelector("input[value=shared]")).isSelected()).isTrue();
        assertThat(text("#stage-title")).isEqualTo("Sliding log");
    }

    @Test
    void mistakesAndFailuresAreShownInWords() {
        type("permits", "500");
        awaitText("#mistake", "Permits: enter 1 to 100.");
        type("permits", "5");
        awaitText(".words", "5 per 10 s");
        assertThat(text("#mistake")).isEmpty();

        offline(true);
        try {
            click("#one");
            awaitText("#trouble", "The application does not respond. Is it still running?");
        } finally {
            offline(false);
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> text("#trouble").isEmpty());
    }

    private static void offline(boolean offline) {
        chromium.driver().executeCdpCommand("Network.enable", Map.of());
        chromium.driver().executeCdpCommand("Network.emulateNetworkConditions",
                Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
    }

    @Test
    void scenarioCanBeStoppedWhereItIsWatched() {
        chromium.size(375, 800);
        click("[data-scenario=login]");
        await().atMost(Duration.ofSeconds(20)).until(() -> "stop".equals(active().getAttribute("id")));
        soon().until(() -> Boolean.TRUE.equals(script("""
                const place = arguments[0].getBoundingClientRect();
                return place.top >= 0 && place.bottom <= innerHeight && place.right <= innerWidth""", active())));
        chromium.screenshot("stop");

        soon().untilAsserted(() -> active().click());
        await().until(() -> chromium.driver().findElement(By.id("one")).isEnabled());
        assertThat(text("#result")).isEmpty();
        assertThat(active().getAttribute("data-scenario")).isEqualTo("login");
    }

    @Test
    void pageIsAccessible() {
        click("#burst-send");
        awaitText("#totals", "allowed");
        for (String theme : List.of("light", "dark")) {
            chromium.prefer("prefers-color-scheme", theme);
            chromium.isAccessible("body");
        }
        script("arguments[0].scrollIntoView()", elements("h1").get(0));
        chromium.screenshot("page");
    }

    @Test
    void steadyRequestsContinueUntilTheyAreStopped() {
        type("period", "1");
        type("rate", "50");
        click("#steady");
        await().atMost(Duration.ofSeconds(20)).until(() -> allowed("alice") >= 13);
        click("#steady");

        assertThat(text("#steady")).isEqualTo("Start");
        awaitText(".left", "10 of 10 left");
    }

    @Test
    void callersWithOneKeyShareItsPermits() {
        choose("algorithm", "Sliding log");
        type("period", "60");
        type("permits", "4");
        type("callers", "2");
        click("input[value=shared]");
        awaitText("[data-name=bob] .left", "4 of 4 left");

        click("#burst-send");
        awaitText("#totals", "4 allowed, 26 denied.");
    }

    @Test
    void algorithmsAllowDifferentPartsOfTheSameTraffic() {
        click("input[value=all]");
        await().until(() -> elements(".chart").size() == 6);
        click("#burst-send");
        awaitText("#totals", "allowed, ", "denied.");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> elements(".chart .counts b").stream().mapToInt(PageTest::number).sum() == 90);

        assertThat(allowed("leaky-bucket")).isBetween(1, 9);
        assertThat(allowed("sliding-log")).isEqualTo(10);
        assertThat(allowed("concurrency")).isBetween(10, 14);
        chromium.screenshot("side-by-side");
    }

    @Test
    void burstIsAllowedUpToTheCapacityOfTheBucket() {
        List<Integer> result = play("burst");

        assertThat(result.get(0)).isEqualTo(30);
        assertThat(result.get(1)).isBetween(10, 15);
        assertThat(result.get(2)).isBetween(1, 6);
    }

    @Test
    void onlyTheFixedWindowAllowsTwiceAsManyAtAnEdge() {
        play("edge");

        assertThat(allowed("fixed")).isGreaterThanOrEqualTo(20);
        assertThat(allowed("sliding")).isLessThan(allowed("fixed"));
    }

    @Test
    void noisyNeighbourHarmsOnlyCallersWithTheSameKey() {
        play("neighbour");

        assertThat(allowed("quiet-own")).isEqualTo(4);
        assertThat(allowed("quiet-shared")).isLessThan(4);
    }

    @Test
    void minimumIsAllowedHoweverGreedyOthersAre() {
        long began = System.nanoTime();
        play("overflow");

        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) + 1;
        assertThat(allowed("modest")).isEqualTo(6);
        assertThat(allowed("greedy")).as("more than its minimum in 6 s, and at most also the pool").isGreaterThan(8)
                .isLessThanOrEqualTo((int) (2 + 6 + (1 + 3) * seconds));
    }

    @Test
    void bruteForceIsBlockedForLongerEachTimeUntilItIsReleased() {
        List<Integer> result = play("login");

        assertThat(result.subList(2, 5)).containsExactly(2, 4, 8);
        assertThat(text("#log")).containsSubsequence("allowed", "blocked", "denied");
        assertThat(text("#log tr:first-child")).contains("allowed");
        assertThat(allowed("user")).isEqualTo(result.get(1)).isGreaterThan(3);
        assertThat(README).content().contains("alt=\"The demo: " + text("#stage-title").toLowerCase(), "2, 4 and 8 s");
        pictureOfTheReadme("light");
        pictureOfTheReadme("dark");
    }

    /** The limit and its decisions, below 150 kB. With {@code -Dpictures} it is taken again. */
    private static void pictureOfTheReadme(String theme) {
        Path picture = IMAGES.resolve("demo-" + theme + ".webp");
        if (System.getProperty("pictures") != null) {
            script("document.getElementById('scenarios-card').hidden = true");
            chromium.size(1280, 1100, 2);
            chromium.prefer("prefers-color-scheme", theme);
            chromium.screenshot(picture, elements(".stage, .log"), 12);
        }
        assertThat(picture).isNotEmptyFile().satisfies(file -> assertThat(file.toFile().length()).isLessThan(150_000));
        assertThat(README).content().contains("\"docs/modules/ROOT/images/" + picture.getFileName() + '"');
    }

    @Test
    void decisionsContinueWhileRedisIsSilent() {
        type("silent", "3");
        List<Integer> result = play("redis");

        assertThat(result.get(0)).isPositive();
        assertThat(text("#log")).containsSubsequence("Redis", "fallback", "Redis");
        assertThat(text(".source")).isEmpty();
    }

    @Test
    void keyboardAloneSendsRequests() {
        for (int tabs = 0; tabs < 5 && !"one".equals(active().getAttribute("id")); tabs++) {
            active().sendKeys(Keys.TAB);
        }
        assertThat(active().getCssValue("outline-style")).isEqualTo("solid");

        active().sendKeys(Keys.ENTER);
        awaitText("#totals", "1 allowed, 0 denied.");
    }

    @Test
    void phoneNeedsNoHorizontalScrolling() {
        chromium.size(375, 800);
        click("input[value=all]");
        await().until(() -> elements(".chart").size() == 6);

        assertThat((Boolean) script("return document.documentElement.scrollWidth <= innerWidth")).isTrue();
        chromium.screenshot("phone");
    }

    @Test
    void darkModeIsDark() {
        chromium.prefer("prefers-color-scheme", "dark");

        String background = chromium.driver().findElement(By.cssSelector(".stage")).getCssValue("background-color");
        assertThat(numbers(background).subList(0, 3)).allMatch(part -> part < 64);
        chromium.screenshot("dark");
    }

    /** Plays a scenario to its end and returns the numbers in its result. */
    private List<Integer> play(String scenario) {
        click("[data-scenario=" + scenario + "]");
        await().atMost(Duration.ofSeconds(60)).until(() -> !text("#result").isEmpty());
        await().until(() -> chromium.driver().findElement(By.id("one")).isEnabled());
        chromium.screenshot(scenario);
        return numbers(text("#result"));
    }

    private static int allowed(String chart) {
        return number(chromium.driver().findElement(By.cssSelector("[data-name=" + chart + "] b.allowed")));
    }

    private static void choose(String select, String option) {
        chromium.driver().findElement(By.id(select)).sendKeys(option);
    }

    private static void type(String input, String value) {
        chromium.driver().findElement(By.id(input)).sendKeys(Keys.chord(Keys.CONTROL, "a"), value);
    }

    private static void click(String selector) {
        soon().untilAsserted(() -> {
            WebElement element = chromium.driver().findElement(By.cssSelector(selector));
            script("arguments[0].scrollIntoView({behavior: 'instant', block: 'center'})", element);
            element.click();
        });
    }

    /** Again where the page has just moved another element to the place that was to be clicked, which gets no click. */
    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(20)).ignoreExceptionsInstanceOf(WebDriverException.class);
    }

    private static void awaitText(String selector, String... parts) {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(text(selector)).contains(parts));
    }

    private static String text(String selector) {
        return chromium.driver().findElement(By.cssSelector(selector)).getText();
    }

    private static List<WebElement> elements(String selector) {
        return chromium.driver().findElements(By.cssSelector(selector));
    }

    private static String announced() {
        return chromium.driver().findElement(By.id("announced")).getDomProperty("textContent");
    }

    private static WebElement active() {
        return chromium.driver().switchTo().activeElement();
    }

    private static Object script(String script, Object... arguments) {
        return chromium.driver().executeScript(script, arguments);
    }

    private static int number(WebElement element) {
        return Integer.parseInt(element.getDomProperty("textContent"));
    }

    private static List<Integer> numbers(String text) {
        return Arrays.stream(text.replaceAll("[^0-9]+", " ").trim().split(" ")).map(Integer::valueOf).toList();
    }
}
