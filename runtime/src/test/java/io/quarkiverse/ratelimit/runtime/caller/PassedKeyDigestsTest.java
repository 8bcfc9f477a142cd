package io.quarkiverse.ratelimit.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;

/** Keys that operators type, with digests in place of secrets. */
class PassedKeyDigestsTest {

    private static final String DIGEST = Digest.of("s3cret");

    private final PassedKey.Reader partners = reader("header:X-Partner,principal", 0);

    @Test
    void digestStandsForItsValue() {
        PassedKey byDigest = partners.readWithDigests("sha256:" + DIGEST.toUpperCase(), "alice");

        assertThat(byDigest.stored()).isEqualTo(partners.read("s3cret", "alice").stored());
        assertThat(byDigest.values()).isEmpty();
        assertThat(partners.readWithDigests("s3cret", "alice")).isEqualTo(partners.read("s3cret", "alice"));
    }

    @Test
    void codeCannotPassDigests() {
        assertThat(partners.readPossible("sha256:" + DIGEST, "alice").stored())
                .isNotEqualTo(partners.read("s3cret", "alice").stored());
    }

    @Test
    void argumentsAndKeysOfCodeHaveDigests() {
        assertThat(reader("global", 1).readWithDigests("sha256:" + DIGEST).stored()).isEqualTo("key*" + DIGEST);
        String withBlank = new PassedKey.Reader("p", null, List.of(), 0, new AddressForm(64)).read("a b").stored();
        assertThat(new PassedKey.Reader("p", null, List.of(), 0, new AddressForm(64))
                .readWithDigests("sha256:" + Digest.of("a b")).stored()).isEqualTo(withBlank);
    }

    @Test
    void mistakesAreExplained() {
        assertThatIllegalArgumentException().isThrownBy(() -> partners.readWithDigests("sha256:abc", "alice"))
                .withMessageStartingWith("\"sha256:abc\" is no digest");
        assertThatIllegalArgumentException().isThrownBy(() -> reader("ip", 0).readWithDigests("sha256:" + DIGEST))
                .withMessageContaining("is not an IP address");
        assertThatIllegalArgumentException().isThrownBy(() -> partners.readWithDigests("sha256:" + DIGEST));
    }

    @Test
    void storedKeyShowsWhatCanBeGiven() {
        assertThat(partners.given(partners.read("s3cret", "alice").stored())).contains(List.of("sha256:" + DIGEST, "alice"));
        assertThat(reader("global", 1).given("key*" + DIGEST)).contains(List.of("sha256:" + DIGEST));
        assertThat(reader("global", 0).given("")).contains(List.of());
        assertThat(partners.given("header:x-partner!|principal=alice")).isEmpty();
        assertThat(partners.given("ip=203.0.113.7|principal=alice")).isEmpty();
        assertThat(partners.given("header:x-partner*" + DIGEST)).isEmpty();
    }

    private static PassedKey.Reader reader(String key, int arguments) {
        return new PassedKey.Reader("p", KeyParser.parse(key, null), List.of(), arguments, new AddressForm(64));
    }
}
