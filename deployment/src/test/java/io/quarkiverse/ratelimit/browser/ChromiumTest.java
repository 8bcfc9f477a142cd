package io.quarkiverse.ratelimit.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What tests in a browser rely on. */
@Tag("slow")
class ChromiumTest {

    @RegisterExtension
    static final Chromium chromium = new Chromium();

    @Test
    void errorOfThePageFailsTheTest() {
        chromium.driver().get("data:text/html,<script>console.error('torn')</script>");

        assertThatThrownBy(() -> chromium.afterEach(null)).hasMessageContaining("torn");
    }

    @Test
    void pageSeesWhatItsUserPrefers() {
        chromium.driver().get("data:text/html,<title>calm</title>");
        chromium.size(375, 700);
        chromium.prefer("prefers-color-scheme", "dark");

        assertThat(chromium.driver().executeScript("return innerWidth")).isEqualTo(375L);
        assertThat(chromium.driver().executeScript("return matchMedia('(prefers-color-scheme: dark)').matches"))
                .isEqualTo(true);
    }
}
