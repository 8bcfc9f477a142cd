package io.quarkiverse.ratelimit.runtime.devui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import org.junit.jupiter.api.Test;

class KeyFieldsTest {

    private final KeyFields fields = new KeyFields(List.of("ip", "@RateLimitKey 1", "@RateLimitKey 2"), 1);

    @Test
    void argumentsMayBeMissingFromTheEnd() {
        assertThat(fields.caller(List.of(" 192.0.2.1", "a", "b"))).containsExactly("192.0.2.1", "a", "b");
        assertThat(fields.caller(List.of("192.0.2.1", "", ""))).containsExactly("192.0.2.1");
        assertThatThrownBy(() -> fields.caller(List.of("192.0.2.1", "", "b"))).hasMessage("Enter a value for @RateLimitKey 1.");
    }

    @Test
    void keyPartsMayNotBeMissing() {
        assertThatThrownBy(() -> fields.caller(List.of(""))).hasMessage("Enter a value for ip.");
        assertThatThrownBy(() -> fields.caller(null)).hasMessage("Enter a value for ip.");
    }

    @Test
    void globalKeyNeedsNoValue() {
        assertThat(new KeyFields(List.of(), 0).caller(List.of())).isEmpty();
    }
}
