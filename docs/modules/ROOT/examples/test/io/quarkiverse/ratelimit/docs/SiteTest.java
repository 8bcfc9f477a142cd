package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import io.quarkiverse.ratelimit.browser.Chromium;

/** Navigation and search of the rendered pages, opened from disk. */
class SiteTest {

    @RegisterExtension
    static final Chromium chromium = new Chromium();

    @BeforeEach
    void open() {
        chromium.size(1280, 900);
        chromium.prefer("prefers-color-scheme", "light");
        page("how-to/choose-limits");
    }

    @Test
    void searchForBruteForceOpensThePageOnLogins() {
        search("brute force");
        chromium.screenshot("search");
        active().sendKeys(Keys.ENTER);

        await().until(() -> chromium.driver().getCurrentUrl().contains("/how-to/protect-logins.html"));
    }

    @Test
    void searchFindsSectionsByTheBeginningOfAWord() {
        search("evict");
        active().sendKeys(Keys.ARROW_DOWN);
        active().sendKeys(Keys.ENTER);

        await().until(() -> chromium.driver().getCurrentUrl().endsWith("/how-to/size-redis.html#eviction"));
    }

    @Test
    void searchFindsOtherFormsOfAWord() {
        search("penalties");

        assertThat(elements("#site-results mark")).extracting(mark -> mark.getDomProperty("textContent")).contains("penalty");
    }

    @Test
    void resultsMarkTheBeginningsOfWords() {
        search("X-Forwarded-For");

        assertThat(elements("#site-results a")).first()
                .satisfies(link -> assertThat(link.getAttribute("href")).contains("/how-to/behind-a-proxy.html"));
        assertThat(elements("#site-results span > span:has(+ mark)")).isNotEmpty()
                .extracting(before -> before.getDomProperty("textContent"))
                .allMatch(before -> before.isEmpty() || !Character.isLetterOrDigit(before.charAt(before.length() - 1)));
    }

    @Test
    void codeInTablesLooksTheSameBesideTextAndAlone() {
        assertThat(elements("td code")).hasSizeGreaterThan(2)
                .extracting(code -> code.getCssValue("background-color") + code.getCssValue("padding-left")).containsOnly(
                        element("td code").getCssValue("background-color") + element("td code").getCssValue("padding-left"));
    }

    @Test
    void searchWithoutResultSaysSo() {
        query().sendKeys("xylophone");

        await().untilAsserted(() -> assertThat(element("#site-found").getText()).isEqualTo("Nothing found."));
    }

    @Test
    void navigationMarksThePageAndOpensItsGroup() {
        assertThat(elements("[aria-current=page]")).singleElement()
                .satisfies(link -> assertThat(link.getText()).isEqualTo("Choose limits, shadow mode"))
                .satisfies(link -> assertThat(link.isDisplayed()).isTrue());

        element("#site-nav a[href$='size-redis.html']").findElement(By.xpath("ancestor::details[1]/summary")).click();
        element("#site-nav a[href$='size-redis.html']").click();

        assertThat(element("[aria-current=page]").getText()).isEqualTo("Size Redis");
        chromium.screenshot("navigation");
    }

    @Test
    void navigationShowsTheLinkOfThePageInLowWindows() {
        chromium.size(1280, 300);
        page("reference/headers");

        assertThat((Boolean) chromium.driver().executeScript("""
                const link = document.querySelector('[aria-current=page]').getBoundingClientRect();
                return link.top >= 0 && link.bottom <= innerHeight && document.querySelector('#site').scrollTop > 0"""))
                .isTrue();
    }

    @Test
    void keyboardReachesSearchAndNavigation() {
        element("body").sendKeys(Keys.TAB);
        assertThat(active().getText()).isEqualTo("Skip to the content");

        element("body").sendKeys("/");
        assertThat(active()).isEqualTo(query());

        query().sendKeys(Keys.TAB);
        assertThat(active().getText()).isEqualTo("Overview");
        assertThat(active().getCssValue("outline-style")).isEqualTo("solid");
    }

    @Test
    void phoneShowsTheNavigationOnDemand() {
        chromium.size(375, 800);
        page("how-to/choose-limits");
        chromium.screenshot("phone");
        assertThat(element("#site-nav").isDisplayed()).isFalse();
        assertThat((Boolean) chromium.driver()
                .executeScript("return document.documentElement.scrollWidth <= innerWidth")).isTrue();

        element(".site-menu").click();

        assertThat(element("#site-nav").isDisplayed()).isTrue();
        assertThat(element(".site-menu").getAttribute("aria-expanded")).isEqualTo("true");
        chromium.screenshot("phone-menu");
        active().sendKeys(Keys.ESCAPE);
        assertThat(element("#site-nav").isDisplayed()).isFalse();
    }

    @Test
    void darkModeIsDark() {
        chromium.prefer("prefers-color-scheme", "dark");

        for (String part : List.of("body", "#site", "table", "pre", "td code")) {
            assertThat(brightness(part, "background-color")).as(part).isLessThan(64);
        }
        for (String part : List.of("body", "#site a", "#preamble p", "h2", "td p", "pre code", "td code", "td a")) {
            assertThat(brightness(part, "color")).as(part).isGreaterThan(150);
        }
        chromium.screenshot("dark");
        page("getting-started");
        assertThat(elements("pre span")).isNotEmpty()
                .allSatisfy(word -> assertThat(brightness(word, "color")).isGreaterThan(120));
        chromium.screenshot("dark-code");
        page("reference/configuration");
        assertThat(brightness("th", "background-color")).isLessThan(64);
    }

    private static int brightness(String selector, String property) {
        return brightness(element(selector), property);
    }

    private static int brightness(WebElement element, String property) {
        String[] parts = element.getCssValue(property).replaceAll("[^0-9,.]", "").split(",");
        return (int) (Double.parseDouble(parts[0]) + Double.parseDouble(parts[1]) + Double.parseDouble(parts[2])) / 3;
    }

    private static void search(String text) {
        query().sendKeys(text);
        await().atMost(Duration.ofSeconds(20)).until(() -> !elements("#site-results mark").isEmpty());
    }

    private static void page(String name) {
        chromium.driver().get(Path.of("target/generated-docs", name + ".html").toUri().toString());
    }

    private static WebElement query() {
        return element("#site-query");
    }

    private static WebElement active() {
        return chromium.driver().switchTo().activeElement();
    }

    private static WebElement element(String selector) {
        return chromium.driver().findElement(By.cssSelector(selector));
    }

    private static List<WebElement> elements(String selector) {
        return chromium.driver().findElements(By.cssSelector(selector));
    }
}
