package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.caller.Exemptions;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class PolicyReaderExemptKeysTest {

    private static final String API = "quarkus.rate-limit.policies.api.";
    private static final String SHA_256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @ParameterizedTest
    @ValueSource(strings = { "", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
            "ga7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            " ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015adad" })
    void whatIsNoDigestIsReported(String digest) {
        assertThat(api("header:X-Api-Key", "a,sha256:" + digest).mistakes()).containsExactly(API + "exempt-keys=a,sha256:"
                + digest + " has \"sha256:" + digest + "\", but sha256: must be followed by the 64 hexadecimal digits of a"
                + " SHA-256. Get them with: printf %s VALUE | sha256sum");
    }

    @ParameterizedTest
    @ValueSource(strings = { "ip,principal", "header:a,header:b", "global" })
    void keyWithSeveralPartsOrNoneIsReported(String key) {
        assertThat(api(key, "alice").mistakes()).containsExactly(API + "exempt-keys=alice names values of a key with one part,"
                + " but the key is " + key + ". Remove exempt-keys, or give the policy a key such as principal or"
                + " header:X-Api-Key.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "alice", "sha256:" + SHA_256_OF_ABC, "10.0.0.0/33" })
    void whatIsNoAddressIsReportedForTheKeyIp(String value) {
        assertThat(api("ip", value).mistakes()).containsExactly(API + "exempt-keys=" + value + " has \"" + value + "\", which"
                + " is no block of addresses. Write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.1.");
    }

    @Test
    void valuesAreRead() {
        Exemptions exempt = api("principal", "bob, sha256:" + SHA_256_OF_ABC.toUpperCase()).read().policies().get("api")
                .exempt();

        assertThat(List.of("bob", "abc")).allMatch(exempt::containKey);
        assertThat(List.of("BOB", "abcd", "sha256:" + SHA_256_OF_ABC, SHA_256_OF_ABC, "")).noneMatch(exempt::containKey);
        assertThat(exempt.containKey(null)).isFalse();
        assertThat(api("ip", "192.0.2.1,2001:db8::/32").read().policies().get("api").exempt().keyBlocks()).hasSize(2);
    }

    private static Configured api(String key, String exempt) {
        return Configured.with(API + "permits=5", API + "period=1m", API + "key=" + key, API + "exempt-keys=" + exempt);
    }
}
