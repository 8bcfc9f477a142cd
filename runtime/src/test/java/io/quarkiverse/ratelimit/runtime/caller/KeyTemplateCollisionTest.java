package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import io.quarkiverse.ratelimit.runtime.caller.KeyPart.Kind;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.fixtures.TestCaller;

class KeyTemplateCollisionTest {

    private static final int CALLERS = 40_000;
    private static final List<String> PIECES = List.of("a", "b", "c", ":", "|", "=", "*", "!", "%", "{", "}", ",", "/", " ",
            "?", "\ud800", "\udc00", "ip", "principal", "header:x", "1.2.3.4", "ip=1.2.3.4", "principal!", "::/64", "key=a",
            "claim:x!",
            Digest.of("a"), "*" + Digest.of("a"), "principal*" + Digest.of("a"));

    private final Random random = new Random(7);

    /** Different policies may have the same callers, so they share the forms of all keys here. */
    @ParameterizedTest
    @EnumSource(value = MissingKey.class, mode = Mode.INCLUDE, names = { "IP", "SHARED" })
    void differentCallersNeverShareAForm(MissingKey missing) {
        List<String> parts = Stream.concat(
                Stream.of(Kind.values()).filter(kind -> kind != Kind.IP).map(kind -> kind.notation().replace("NAME", "x")),
                Stream.of("query:x!", "claim:x*")).toList();
        Map<String, List<String>> callers = new HashMap<>();

        for (int i = 0; i < CALLERS; i++) {
            List<String> key = new ArrayList<>(parts);
            Collections.shuffle(key, random);
            key = key.subList(0, random.nextInt(4));
            Map<String, String> values = new HashMap<>(Map.of("ip", "1.2.3.4"));
            key.forEach(part -> values.put(part, value()));
            Object[] arguments = new Object[random.nextInt(3)];
            Arrays.setAll(arguments, argument -> value());
            KeyTemplate template = key.isEmpty() ? KeyTemplate.GLOBAL
                    : KeyParser.parse(String.join(",", key), TestCaller.WARNING);

            String form = template
                    .resolve(new CallDetails(new TestCaller(values), values.get("method"), TestCaller.arguments(arguments),
                            named(values.get("bean:x"))), "test", missing, List.of());

            assertThat(form).matches("[\\x21-\\x7e]*").doesNotContain("{", "}");
            List<String> caller = received(key, values, arguments, missing);
            assertThat(callers.put(form, caller)).isIn(null, caller);
        }
        assertThat(callers).hasSizeGreaterThan(CALLERS / 4);
    }

    private static Map<String, String> named(String bean) {
        return bean == null ? Map.of() : Map.of("x", bean);
    }

    /** What the form may contain of a caller: of an absent part its kind, or the address that replaces it. */
    private static List<String> received(List<String> key, Map<String, String> values, Object[] arguments, MissingKey missing) {
        List<String> received = new ArrayList<>();
        key.forEach(part -> received.add(values.get(part) != null ? part + "=" + values.get(part)
                : missing == MissingKey.IP ? "address" : part + " is absent"));
        for (Object argument : arguments) {
            received.add(
                    argument != null ? "argument=" + argument : missing == MissingKey.IP ? "address" : "argument is absent");
        }
        return received;
    }

    @Test
    void valuesMoveNotFromOnePartToTheNext() {
        KeyTemplate template = KeyParser.parse("principal,method", TestCaller.WARNING);

        String one = template.resolve(TestCaller.call(TestCaller.named("a"), "b:c"), "test", MissingKey.SKIP, List.of());
        String other = template.resolve(TestCaller.call(TestCaller.named("a:b"), "c"), "test", MissingKey.SKIP, List.of());

        assertThat(one).isNotEqualTo(other);
    }

    @Test
    void userNamedLikeAnAddressIsNoAddress() {
        KeyTemplate template = KeyParser.parse("principal", TestCaller.WARNING);

        String named = template.resolve(TestCaller.call(TestCaller.named("1.2.3.4"), null), "test", MissingKey.IP, List.of());
        String anonymous = template.resolve(TestCaller.call(TestCaller.at("1.2.3.4"), null), "test", MissingKey.IP, List.of());

        assertThat(named).isNotEqualTo(anonymous);
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
