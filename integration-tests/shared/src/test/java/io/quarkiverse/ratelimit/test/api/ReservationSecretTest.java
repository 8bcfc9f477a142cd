package io.quarkiverse.ratelimit.test.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** With a secret, only instances that have it can make the id of a reservation. */
@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class ReservationSecretTest {

    private static final String NEW = "the new secret 1";
    private static final String OLD = "the old secret 1";

    @Inject
    @RateLimitPolicy("reserved-tokens")
    RateLimiter limiter;

    @Test
    void checksumOfEitherSecretIsAccepted() throws Exception {
        RateLimiter alice = limiter.forKey("alice");
        RateLimitReservation first = alice.reserve(60);

        assertThat(first.id()).isEqualTo(signed(withoutChecksum(first.id()), NEW));
        assertThat(alice.reservation(first.id()).settle(10).remaining()).isEqualTo(90);

        String made = alice.reserve(60).id();
        alice.reservation(signed(withoutChecksum(made), OLD)).cancel();
        assertThat(alice.peek().remaining()).isEqualTo(90);
    }

    @Test
    void otherIdsFailAndChangeNothing() throws Exception {
        RateLimiter bob = limiter.forKey("bob");
        String id = bob.reserve(60).id();
        String plain = withoutChecksum(id);
        String checksum = id.substring(plain.length() + 1);
        String changed = base64(
                new String(Base64.getUrlDecoder().decode(plain), UTF_8).replace("\"granted\":60", "\"granted\":90"));

        for (String forged : List.of(plain, plain + '.', '.' + checksum, changed, changed + '.' + checksum, id + '=', id + '.',
                id + '.' + checksum, plain + '.' + checksum.substring(1), plain + '.' + checksum.toUpperCase(),
                signed(plain, "another secret 1"), signed(plain, "the new secret 1, the old secret 1"), "", ".", "no id")) {
            assertThatThrownBy(() -> bob.reservation(forged)).as(forged).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("quarkus.rate-limit.reservation-secret");
            assertThatThrownBy(() -> bob.reactive().reservation(forged)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> bob.reservation(null)).isInstanceOf(IllegalArgumentException.class);
        assertThat(bob.peek().remaining()).isEqualTo(40);
    }

    private static String withoutChecksum(String id) {
        return id.substring(0, id.indexOf('.'));
    }

    private static String signed(String id, String secret) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        return id + '.' + Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(id.getBytes(UTF_8)));
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
    }
}
