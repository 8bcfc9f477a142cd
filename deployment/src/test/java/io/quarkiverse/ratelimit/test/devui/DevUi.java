package io.quarkiverse.ratelimit.test.devui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;

import org.awaitility.core.ConditionFactory;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.SearchContext;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;

import io.quarkiverse.ratelimit.browser.Chromium;

/** Opens the limiter's pages in a browser, and finds what lies in their shadow roots. */
final class DevUi {

    private static final Duration SOON = Duration.ofSeconds(60);
    /** As following a link does; nothing is loaded again. */
    private static final String GO = "dispatchEvent(new CustomEvent('vaadin-router-go', {detail: {pathname: arguments[0]}}))";
    private static final String DEEP_TEXT = """
            const text = node => node.nodeType === Node.TEXT_NODE ? node.textContent
                : ['STYLE', 'SCRIPT'].includes(node.nodeName) ? ''
                : [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].map(text).join(' ');
            return text(document.querySelector(arguments[0])).replace(/\\s+/g, ' ');
            """;

    private final Chromium chromium;
    private final String address;
    private String component;
    private boolean loaded;

    DevUi(Chromium chromium, int port) {
        this.chromium = chromium;
        this.address = "http://localhost:" + port + "/q/dev-ui/";
    }

    void open(String path, String component) {
        this.component = component;
        if (loaded) {
            chromium.driver().executeScript(GO, "/q/dev-ui/" + path);
        } else {
            chromium.driver().get(address + path);
            loaded = true;
        }
    }

    /** The page's text becomes so. */
    void shows(String... texts) {
        soon().untilAsserted(() -> assertThat(text()).contains(texts));
    }

    String text() {
        return (String) chromium.driver().executeScript(DEEP_TEXT, component);
    }

    /** In both themes, where they are wanted. */
    void screenshot(String name) {
        if (Boolean.getBoolean("screenshots")) {
            for (String theme : List.of("dark", "light")) {
                chromium.prefer("prefers-color-scheme", theme);
                chromium.screenshot("dev-ui-" + name + '-' + theme);
            }
        }
    }

    WebElement find(String css) {
        return soon().until(
                () -> shadow().findElement(By.cssSelector(css)),
                WebElement::isDisplayed);
    }

    private static ConditionFactory soon() {
        return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(50)).atMost(SOON)
                .ignoreExceptionsInstanceOf(WebDriverException.class);
    }

    private SearchContext shadow() {
        return chromium.driver().findElement(By.tagName(component)).getShadowRoot();
    }

    /** The page of administration in its frame. {@link #leave} returns to the Dev UI. */
    ChromeDriver enter() {
        WebElement frame = find("iframe");
        chromium.driver().switchTo().frame(frame);
        return chromium.driver();
    }

    void leave() {
        chromium.driver().switchTo().defaultContent();
    }

    /** As the switch of the Dev UI's header does, after that has followed the browser's preference in the next frame. */
    void theme(String name) {
        chromium.driver().executeScript("""
                return new Promise(requestAnimationFrame).then(() => import('theme-state'))
                    .then(state => state.themeState.changeTo(arguments[0]))""", name);
    }

    void click(String css) {
        find(css).click();
    }

    void type(String field, String text) {
        find(field + " input").sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
    }
}
