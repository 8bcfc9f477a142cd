package io.quarkiverse.ratelimit.runtime.caller;

import static io.quarkiverse.ratelimit.runtime.caller.MissingKey.DENY;
import static io.quarkiverse.ratelimit.runtime.caller.MissingKey.SHARED;
import static io.quarkiverse.ratelimit.runtime.caller.MissingKey.SKIP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.KeyArgument;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.fixtures.TestCaller;

class KeyTemplateTest {

    private static final String METHOD = "com.acme.QuoteResource#quote(java.lang.String,byte[])";
    private static final String SHA_256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    private static final AddressForm ADDRESSES = new AddressForm(64);

    @Test
    void everyPartCarriesItsKind() {
        Caller caller = new TestCaller("203.0.113.7", "alice@acme.com", Map.of("x-api-key", "abc"));

        assertThat(resolve("ip", caller)).isEqualTo("ip=203.0.113.7");
        assertThat(resolve("principal", caller)).isEqualTo("principal=alice@acme.com");
        assertThat(resolve("method", caller)).isEqualTo("method=" + METHOD);
        assertThat(resolve("header:X-API-Key", caller)).isEqualTo("header:x-api-key*" + SHA_256_OF_ABC);
        assertThat(resolve(" method , ip ", caller)).isEqualTo("method=" + METHOD + "|ip=203.0.113.7");
    }

    @Test
    void ipv6PrefixesAreStoredAsTheyAre() {
        assertThat(resolve("ip", TestCaller.at("2001:db8:1:2::/64"))).isEqualTo("ip=2001:db8:1:2::/64");
    }

    @ParameterizedTest
    @CsvSource({ "ip", "principal", "method", "header:X-Api-Key", "'ip,principal'" })
    void absentPartsLeaveThePolicyOutOrDeny(String key) {
        KeyTemplate template = KeyParser.parse(key, TestCaller.WARNING);

        assertThat(template.resolve(TestCaller.call(TestCaller.named(""), null), "test", SKIP, List.of())).isNull();
        assertThat(template.resolve(TestCaller.call(TestCaller.named(null), null), "test", DENY, List.of())).isNull();
    }

    @ParameterizedTest
    @CsvSource({
            "ip,                  SHARED, ,        ip!",
            "principal,           SHARED, 1.2.3.4, principal!",
            "header:X-Api-Key,    SHARED, 1.2.3.4, header:x-api-key!",
            "'principal,ip',      SHARED, 1.2.3.4, principal!|ip=1.2.3.4",
            "ip,                  IP,     ,        ip!",
            "principal,           IP,     ,        principal!",
            "principal,           IP,     1.2.3.4, ip=1.2.3.4",
            "'ip,principal',      IP,     1.2.3.4, ip=1.2.3.4|ip=1.2.3.4",
            "'method,header:A',   IP,     1.2.3.4, ip=1.2.3.4|ip=1.2.3.4"
    })
    void absentPartsAreCountedTogetherOrByAddress(String key, MissingKey missing, String address, String form) {
        Caller caller = TestCaller.at(address);

        assertThat(KeyParser.parse(key, TestCaller.WARNING).resolve(TestCaller.call(caller, null), "test", missing, List.of()))
                .isEqualTo(form);
    }

    @ParameterizedTest
    @EnumSource(MissingKey.class)
    void noneIsOneCountForAll(MissingKey missing) {
        assertThat(KeyParser.parse(" global ", TestCaller.WARNING)).isSameAs(KeyTemplate.GLOBAL);
        assertThat(KeyTemplate.GLOBAL.resolve(TestCaller.call(TestCaller.at(null), null), "test", missing, List.of()))
                .isEmpty();
        assertThat(passed(KeyTemplate.GLOBAL, 0, "anything")).isEmpty();
    }

    @Test
    void longAndOddValuesAppearAsDigest() {
        String longest = "a".repeat(128);

        assertThat(resolve("principal", TestCaller.named(longest))).isEqualTo("principal=" + longest);
        assertThat(resolve("principal", TestCaller.named(longest + "a"))).matches("principal\\*[0-9a-f]{64}");
        for (String odd : List.of("a b", "a|b", "a=b", "a*b", "a!b", "{a}", "zo\u00eb", "a\u0000", "\ud800", "\"a\"")) {
            assertThat(resolve("principal", TestCaller.named(odd))).matches("principal\\*[0-9a-f]{64}");
        }
    }

    @Test
    void codeHitsTheKeyOfTheRequestItNames() {
        Caller caller = new TestCaller("2001:db8:1:2::/64", "alice", Map.of("x-api-key", "abc"));

        assertThat(of("principal", "alice")).isEqualTo(resolve("principal", caller));
        assertThat(of("header:X-Api-Key", "abc")).isEqualTo(resolve("header:X-Api-Key", caller));
        assertThat(of("method", METHOD)).isEqualTo(resolve("method", caller));
        assertThat(of("ip", "2001:DB8:1:2::7")).isEqualTo(resolve("ip", caller));
        assertThat(of("ip", "2001:db8:1:2::/64")).isEqualTo(resolve("ip", caller));
        assertThat(of("ip,method,principal", "2001:db8:1:2::1", METHOD, "alice"))
                .isEqualTo(resolve("ip,method,principal", caller));
    }

    @Test
    void codeMustPassAValueForEachPart() {
        assertThatIllegalArgumentException().isThrownBy(() -> of("ip,header:X-Api-Key", "alice"))
                .withMessage("The key has 1 value, but the policy's key has 2 parts: ip,header:x-api-key."
                        + " Give one value for each, in this order.");
    }

    @Test
    void keysGivenByCodeAloneAreKeptApart() {
        assertThat(passed(null, 0, "alice")).isEqualTo("key=alice");
        assertThat(passed(null, 0, "a", "b")).isEqualTo("key=a|key=b");
        assertThat(passed(null, 0, "a|key=b")).startsWith("key*").isNotEqualTo("key=a|key=b");
    }

    @Test
    void namesOfHeadersCannotImitateTheStoredForm() {
        KeyTemplate template = KeyParser.parse("header:a!|b*%c", TestCaller.WARNING);

        assertThat(template.resolve(TestCaller.call(TestCaller.at(null), null), "test", SHARED, List.of()))
                .isEqualTo("header:a%21%7cb%2a%25c!");
    }

    @Test
    void partsDeclareWhatTheyNeed() {
        assertThat(KeyParser.parse("method,principal", TestCaller.WARNING).needsIdentity()).isTrue();
        assertThat(KeyParser.parse("method,principal", TestCaller.WARNING).needsAddress()).isFalse();
        assertThat(KeyParser.parse("header:ip,ip", TestCaller.WARNING).needsAddress()).isTrue();
        assertThat(KeyParser.parse("header:principal", TestCaller.WARNING).needsIdentity()).isFalse();
        assertThat(KeyParser.parse("claim:ip", TestCaller.WARNING).needsIdentity()).isTrue();
        assertThat(KeyParser.parse(
                "ip,principal,method,header:A,cookie:A,path:A,query:A,claim:A,bean:A", TestCaller.WARNING).unknownOnRoutes())
                .containsExactly("principal", "method", "path:A", "claim:A");
    }

    @ParameterizedTest
    @CsvSource({ "docs/modules/ROOT/pages/how-to/limit-callers.adoc", "deployment/src/main/resources/META-INF/quarkus-skill.md",
            "runtime/src/main/java/io/quarkiverse/ratelimit/runtime/policy/config/PolicyConfig.java" })
    void documentationNamesEachKind(String file) throws IOException {
        String text = Files.readString(Path.of("..", file)).replaceAll("\\{@code ([^}]+)}", "`$1`");

        assertThat(KeyPart.Kind.values()).allSatisfy(kind -> assertThat(text).contains('`' + kind.notation() + '`'));
    }

    @Test
    void valuesThatMayBeSecretsAppearAsDigest() {
        Caller caller = new TestCaller(Map.of("cookie:Session", "abc", "path:tenant", "abc", "query:user name", "abc",
                "claim:https://acme.com/tenant", "abc"));

        assertThat(resolve("cookie:Session", caller)).isEqualTo("cookie:Session*" + SHA_256_OF_ABC);
        assertThat(resolve("path:tenant", caller)).isEqualTo("path:tenant*" + SHA_256_OF_ABC);
        assertThat(resolve("query:user name", caller)).isEqualTo("query:user%20name*" + SHA_256_OF_ABC);
        assertThat(resolve("claim:https://acme.com/tenant", caller))
                .isEqualTo("claim:https%3a%2f%2facme.com%2ftenant*" + SHA_256_OF_ABC);
        assertThat(KeyParser.parse("bean:tenant", TestCaller.WARNING).resolve(
                new CallDetails(caller, null, List.of(), Map.of("tenant", "abc")), "test", SKIP, List.of()))
                .isEqualTo("bean:tenant*" + SHA_256_OF_ABC);
    }

    @Test
    void argumentBelongsToTheKeysOfItsPoliciesOnly() {
        List<KeyArgument> user = List.of(new KeyArgument("alice", List.of("user", "other")));
        CallDetails call = new CallDetails(TestCaller.at("1.2.3.4"), METHOD, user, Map.of());

        assertThat(KeyTemplate.GLOBAL.resolve(call, "user", SKIP, List.of())).matches("key\\*[0-9a-f]{64}");
        assertThat(KeyTemplate.GLOBAL.value(call, "user", List.of())).isEqualTo("alice");
        assertThat(KeyTemplate.GLOBAL.resolve(call, "global", SKIP, List.of())).isEmpty();
        assertThat(KeyTemplate.GLOBAL.value(call, "global", List.of())).isNull();
        assertThat(KeyParser.parse("ip", TestCaller.WARNING).resolve(call, "address", SKIP, List.of()))
                .isEqualTo("ip=1.2.3.4");
    }

    @Test
    void argumentsFollowTheParts() {
        assertThat(withArguments("ip", SKIP, "alice", 7)).matches("ip=1\\.2\\.3\\.4\\|key\\*[0-9a-f]{64}\\|key\\*[0-9a-f]{64}");
        assertThat(withArguments("global", SKIP, "abc")).isEqualTo("key*" + SHA_256_OF_ABC);
        assertThat(withArguments("global", SKIP, "a b")).matches("key\\*[0-9a-f]{64}");
    }

    @Test
    void absentArgumentsAreMissing() {
        for (Object absent : new Object[] { null, "", new StringBuilder() }) {
            assertThat(withArguments("ip", SKIP, absent)).isNull();
            assertThat(withArguments("ip", DENY, "alice", absent)).isNull();
            assertThat(withArguments("global", SHARED, absent, "abc")).isEqualTo("key!|key*" + SHA_256_OF_ABC);
            assertThat(withArguments("global", MissingKey.IP, absent)).isEqualTo("ip=1.2.3.4");
        }
    }

    @Test
    void codeHitsTheKeyOfTheArgumentsItNames() {
        assertThat(passed(KeyTemplate.GLOBAL, 1, "alice"))
                .isEqualTo(withArguments("global", SKIP, "alice"));
        assertThat(passed(KeyParser.parse("ip", TestCaller.WARNING), 2, "1.2.3.4", "a", "b"))
                .isEqualTo(withArguments("ip", SKIP, "a", "b"));
        assertThat(passed(KeyParser.parse("ip", TestCaller.WARNING), 2, "1.2.3.4"))
                .isEqualTo("ip=1.2.3.4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> passed(KeyParser.parse("ip", TestCaller.WARNING), 1, "1.2.3.4", "a", "b"))
                .withMessage("The key has 3 values, but the policy's key has 1 part: ip, and up to 1 of @RateLimitKey."
                        + " Give one value for each, in this order.");
    }

    @Test
    void keyOfArgumentsNeedsAValue() {
        assertThatIllegalArgumentException().isThrownBy(() -> passed(null, 1))
                .withMessage("Policy test counts per caller. Give the key at least one value, that of @RateLimitKey.");
        assertThatIllegalArgumentException().isThrownBy(() -> passed(null, 0))
                .withMessage("Policy test counts per caller. Give the key at least one value.");
        assertThatIllegalArgumentException().isThrownBy(() -> passed(null, 1, "a", "b"))
                .withMessage("The key has 2 values, but the policy's key has up to 1 of @RateLimitKey."
                        + " Give one value for each, in this order.");
        assertThat(passed(KeyTemplate.GLOBAL, 1)).isEmpty();
    }

    @Test
    void keyThatNoCallerCanHaveIsNotPossible() {
        PassedKey.Reader global = new PassedKey.Reader("test", KeyTemplate.GLOBAL, List.of(), 0, ADDRESSES);
        PassedKey.Reader trimmed = new PassedKey.Reader("test", KeyParser.parse("principal", TestCaller.WARNING),
                List.of(Normalization.TRIM), 0, ADDRESSES);

        assertThat(global.readPossible().stored()).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> global.readPossible("alice"))
                .withMessageStartingWith("Policy test has one count for all callers (key=global)");
        assertThatIllegalArgumentException().isThrownBy(() -> trimmed.readPossible("  "))
                .withMessageStartingWith("A value of the key is empty");
    }

    @Test
    void requestContainsTheKeyThatMethodsExtend() {
        new PassedKey.Reader("test", KeyParser.parse("principal", TestCaller.WARNING), List.of(), 1, ADDRESSES)
                .requireInRequest();
        assertThatThrownBy(() -> new PassedKey.Reader("test", null, List.of(), 1, ADDRESSES).requireInRequest())
                .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("quarkus.rate-limit.policies.test.key");
    }

    private static String withArguments(String key, MissingKey missing, Object... arguments) {
        return KeyParser.parse(key, TestCaller.WARNING).resolve(
                new CallDetails(TestCaller.at("1.2.3.4"), METHOD, TestCaller.arguments(arguments), Map.of()),
                "test", missing, List.of());
    }

    private static String of(String key, String... values) {
        return passed(KeyParser.parse(key, TestCaller.WARNING), 0, values);
    }

    private static String passed(KeyTemplate key, int arguments, String... values) {
        return new PassedKey.Reader("test", key, List.of(), arguments, ADDRESSES).read(values).stored();
    }

    private static String resolve(String key, Caller caller) {
        return KeyParser.parse(key, TestCaller.WARNING).resolve(TestCaller.call(caller, METHOD), "test", SKIP, List.of());
    }
}
