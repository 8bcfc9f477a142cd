package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class KeyTemplateCollisionTest {

    private static final int CALLERS = 40_000;
    private static final List<String> PIECES = List.of("a", "b", "c", ":", "|", "=", "*", "!", "%", "{", "}", ",", "/", " ",
            "?", "\ud800", "\udc00", "ip", "principal", "header:x", "1.2.3.4", "ip=1.2.3.4", "principal!", "::/64",
            Digest.of("a"), "*" + Digest.of("a"), "principal*" + Digest.of("a"));

    private final Random random = new Random(7);

    @ParameterizedTest
    @EnumSource(value = MissingKey.class, mode = Mode.INCLUDE, names = { "IP", "SHARED" })
    void differentCallersNeverShareAForm(MissingKey missing) {
        for (String key : List.of("principal", "header:x", "principal,header:x", "header:x,method,principal")) {
            KeyTemplate template = KeyTemplate.parse(key);
            Map<String, List<String>> callers = new HashMap<>();

            for (int i = 0; i < CALLERS; i++) {
                String principal = value();
                String header = value();
                String method = value();
                String form = template.resolve(new CallDetails(new TestCaller("1.2.3.4", principal, headers(header)), method),
                        missing);

                assertThat(form).doesNotContain("{", "}", " ");
                List<String> caller = relevant(key, principal, header, method);
                assertThat(callers.put(form, caller)).isIn(null, caller);
            }
        }
    }

    @Test
    void valuesMoveNotFromOnePartToTheNext() {
        KeyTemplate template = KeyTemplate.parse("principal,method");

        String one = template.resolve(new CallDetails(TestCaller.named("a"), "b:c"), MissingKey.SKIP);
        String other = template.resolve(new CallDetails(TestCaller.named("a:b"), "c"), MissingKey.SKIP);

        assertThat(one).isNotEqualTo(other);
    }

    @Test
    void userNamedLikeAnAddressIsNoAddress() {
        KeyTemplate template = KeyTemplate.parse("principal");

        String named = template.resolve(new CallDetails(TestCaller.named("1.2.3.4"), null), MissingKey.IP);
        String anonymous = template.resolve(new CallDetails(TestCaller.at("1.2.3.4"), null), MissingKey.IP);

        assertThat(named).isNotEqualTo(anonymous);
    }

    private static Map<String, String> headers(String x) {
        return x == null ? Map.of() : Map.of("x", x);
    }

    private static List<String> relevant(String key, String principal, String header, String method) {
        return List.of(key.contains("principal") ? "p" + principal : "", key.contains("header") ? "h" + header : "",
                key.contains("method") ? "m" + method : "");
    }

    private String value() {
        int pieces = random.nextInt(4);
        if (pieces == 0) {
            return null;
        }
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < pieces; i++) {
            value.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return value.toString();
    }
}
