package io.quarkiverse.ratelimit.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * Runs the installed Chromium, headless, for one test class, which is skipped where there is none. A test fails when the
 * page has written an error to the browser's console, except for responses with status 429, which the browser writes itself, and
 * errors that are known to be harmless.
 */
public final class Chromium implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

    /** Kept, so that its level is: Selenium warns that it does not know the newest browsers' debugging protocol. */
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");

    private final String[] harmless;

    private ChromeDriver driver;

    /** @param harmless what errors contain that are not the page's */
    public Chromium(String... harmless) {
        this.harmless = harmless;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        Optional<File> browser = onPath("chromium");
        Optional<File> itsDriver = onPath("chromedriver");
        assumeTrue(browser.isPresent() && itsDriver.isPresent(),
                "SKIPPED: tests in a browser need chromium and chromedriver on the PATH (Debian: chromium, chromium-driver).");
        SELENIUM.setLevel(Level.SEVERE);
        LoggingPreferences console = new LoggingPreferences();
        console.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.get());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
                "--window-size=1280,900");
        options.setCapability("goog:loggingPrefs", console);
        driver = new ChromeDriver(new ChromeDriverService.Builder().usingDriverExecutable(itsDriver.get()).build(), options);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        assertThat(errors()).as("errors on the browser's console").isEmpty();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (driver != null) {
            driver.quit();
        }
    }

    public ChromeDriver driver() {
        return driver;
    }

    /** Sets the size of the page in CSS pixels, whatever the least width of a window. */
    public void size(int width, int height) {
        size(width, height, 1);
    }

    /** Also sets how many pixels a CSS pixel is wide and high. */
    public void size(int width, int height, int pixels) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", pixels, "mobile", false));
    }

    /** Sets a preference of the page's user, such as {@code prefers-color-scheme} and {@code dark}. */
    public void prefer(String feature, String value) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", feature, "value", value))));
    }

    /** Fails if axe finds something in this part of the page that is not accessible. */
    public void isAccessible(String css) {
        try (InputStream axe = Chromium.class.getResourceAsStream("/axe.min.js")) {
            driver.executeScript(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat((List<?>) driver.executeScript("""
                return axe.run(arguments[0]).then(({ violations }) => violations.flatMap(({ help, nodes }) =>
                    nodes.map(({ target, failureSummary }) => `${help}: ${target} ${failureSummary}`)))""", css))
                .as("findings of axe").isEmpty();
    }

    /** Writes what is to be seen to {@code target/screenshots}. */
    public void screenshot(String name) {
        try {
            Path folder = Files.createDirectories(Path.of("target", "screenshots"));
            Files.write(folder.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Writes these parts of the page to a file of type WebP, with a margin. */
    public void screenshot(Path file, List<WebElement> parts, int margin) {
        Object clip = driver.executeScript("""
                const parts = arguments[0].map(part => part.getBoundingClientRect());
                const x = Math.min(...parts.map(part => part.left)) - arguments[1];
                const y = Math.min(...parts.map(part => part.top)) - arguments[1];
                return { x: x + scrollX, y: y + scrollY, scale: 1,
                    width: Math.max(...parts.map(part => part.right)) - x + arguments[1],
                    height: Math.max(...parts.map(part => part.bottom)) - y + arguments[1] };
                """, parts, margin);
        String image = (String) driver.executeCdpCommand("Page.captureScreenshot",
                Map.of("clip", clip, "captureBeyondViewport", true, "format", "webp", "quality", 85)).get("data");
        try {
            Files.write(file, Base64.getDecoder().decode(image));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> errors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel() == Level.SEVERE).map(LogEntry::getMessage)
                .filter(message -> !message.contains("responded with a status of 429"))
                .filter(message -> Arrays.stream(harmless).noneMatch(message::contains)).toList();
    }

    private static Optional<File> onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).map(folder -> new File(folder, program))
                .filter(File::canExecute).findFirst();
    }
}
