package io.quarkiverse.ratelimit.test.penalty;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Level;
import java.util.stream.Collectors;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;

/** What callers, code and observers see of a penalty, and of keys that code blocks. */
@QuarkusTest
@TestProfile(Profiles.Deployed.class)
class BlockedKeyTest {

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(record -> record.getLoggerName().equals("io.quarkiverse.ratelimit.denied")
            && record.getLevel().intValue() < Level.INFO.intValue());

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    LimiterClock clock;

    @Inject
    Events events;

    private String user;

    @BeforeEach
    void newUser() {
        clock.reset();
        user = UUID.randomUUID().toString();
    }

    @Test
    void bruteForceIsDeniedThenBlockedThenReleasedThenBlockedForLonger() {
        login().statusCode(401).header("RateLimit", startsWith("\"block-login\";r=1;t="));
        login().statusCode(401);
        assertThat(retryAfter(login())).isBetween(240, 300);
        ValidatableResponse blocked = login();
        assertThat(retryAfter(blocked)).isEqualTo(1800);
        blocked.header("RateLimit", "\"block-login\";r=0;t=1800").header("RateLimit-Policy", "\"block-login\";q=2;w=600")
                .header("X-RateLimit-Remaining", "0")
                .body("type", equalTo("https://iana.org/assignments/http-problem-types#abnormal-usage-detected"))
                .body("title", equalTo("Abnormal Usage Detected"))
                .body("detail", equalTo("Policy block-login has blocked the caller. Retry after 30 min."))
                .body("'violated-policies'", contains("block-login"));

        clock.advance(Duration.ofMinutes(15));
        assertThat(retryAfter(login())).isBetween(840, 900);
        clock.advance(Duration.ofMinutes(15));
        login().statusCode(401);
        login().statusCode(401);
        assertThat(retryAfter(login())).isBetween(240, 300);
        assertThat(retryAfter(login())).isEqualTo(3600);
        given().header("User", "another").get("/blocked-login").then().statusCode(401).header("Retry-After", nullValue());
    }

    @Test
    void eventAndLogReportThatTheKeyIsBlocked() {
        RateLimiter login = limiters.get("block-login").forKey(user);
        login.block(Duration.ofMinutes(5));

        String key = login.tryAcquire().key();

        await().until(() -> events.blocked.contains(key));
        assertThat(LOG.records()).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                .contains("Policy block-login denies " + key + ": blocked");
    }

    @Test
    void codeBlocksAndUnblocksKeysOfAPolicyWithoutAPenalty() {
        RateLimiter alice = limiters.get("block-mail").forKey(user);
        assertThat(alice.tryAcquire().allowed()).isTrue();

        alice.block(Duration.ofHours(1));

        RateLimitDecision blocked = alice.tryAcquire();
        assertThat(blocked.retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        assertThat(blocked).returns(DenialReason.BLOCKED, d -> d.denialReason().orElseThrow()).returns(0L,
                RateLimitDecision::remaining);
        assertThat(alice.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        assertThat(alice.tryAcquireUpTo(3).denialReason()).contains(DenialReason.BLOCKED);
        assertThat(alice.tryAcquire(1, Duration.ofHours(2)).denialReason()).contains(DenialReason.BLOCKED);
        assertThat(alice.peek().denialReason()).contains(DenialReason.BLOCKED);
        assertThat(alice.charge(2).allowed()).isTrue();
        assertThat(alice.reserve(1).decision().denialReason()).contains(DenialReason.BLOCKED);
        assertThat(limiters.get("block-mail").forKey("another" + user).tryAcquire().allowed()).isTrue();

        alice.block(Duration.ofMinutes(10));
        assertThat(alice.tryAcquire().retryAfter()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10));
        alice.unblock();
        assertThat(alice.peek().limits().get(1).remaining()).isEqualTo(47);

        alice.block(Duration.ofDays(366));
        alice.reset();
        assertThat(alice.peek()).returns(true, RateLimitDecision::allowed).returns(5L, RateLimitDecision::remaining);
    }

    @Test
    void keysBlockedByAPenaltyOrByCodeAreListed() {
        for (int call = 1; call <= 4; call++) {
            login();
        }
        String penalized = limiters.get("block-login").forKey(user).peek().key();
        assertThat(blocked("block-login")).hasEntrySatisfying(penalized,
                left -> assertThat(left).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30)));

        for (String policy : List.of("block-mail", "block-everybody", "block-shadow")) {
            RateLimiter limiter = policy.equals("block-everybody") ? limiters.get(policy) : limiters.get(policy).forKey(user);
            limiter.block(Duration.ofHours(2));
            limiter.block(Duration.ofHours(1));
            assertThat(blocked(policy)).hasEntrySatisfying(limiter.peek().key(),
                    left -> assertThat(left).isBetween(Duration.ofMinutes(59), Duration.ofHours(1)));
        }

        RateLimiter mail = limiters.get("block-mail").forKey(user);
        clock.advance(Duration.ofMinutes(40));
        assertThat(blocked("block-login")).doesNotContainKey(penalized);
        assertThat(blocked("block-mail").get(mail.peek().key())).isBetween(Duration.ofMinutes(19), Duration.ofMinutes(20));
        mail.unblock();
        assertThat(blocked("block-mail")).doesNotContainKey(mail.peek().key());
    }

    private Map<String, Duration> blocked(String policy) {
        return admin.policy(policy).blocked().stream().collect(Collectors.toMap(BlockedKey::key, BlockedKey::timeLeft));
    }

    @Test
    void blockEndsByItself() {
        RateLimiter alice = limiters.get("block-mail").forKey(user);
        alice.reactive().block(Duration.ofMinutes(1)).await().indefinitely();
        assertThat(alice.tryAcquire().allowed()).isFalse();

        clock.advance(Duration.ofMinutes(1));

        assertThat(alice.tryAcquire().allowed()).isTrue();
    }

    @Test
    void countOfEverybodyIsBlocked() {
        RateLimiter everybody = limiters.get("block-everybody");
        everybody.block(Duration.ofMinutes(1));

        assertThat(everybody.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        everybody.reactive().unblock().await().indefinitely();
        assertThat(everybody.tryAcquire().allowed()).isTrue();
    }

    @Test
    void policyThatDeniesNobodyBlocksNobody() {
        for (String policy : List.of("block-shadow", "block-off")) {
            limiters.get(policy).forKey(user).block(Duration.ofMinutes(1));
            assertThat(limiters.get(policy).forKey(user).tryAcquire().allowed()).isTrue();
        }
    }

    @Test
    void timeOfABlockIsChecked() {
        RateLimiter alice = limiters.get("block-mail").forKey(user);

        assertThatIllegalArgumentException().isThrownBy(() -> alice.block(null)).withMessageContaining("is required");
        assertThatIllegalArgumentException().isThrownBy(() -> alice.block(Duration.ofNanos(999_999)))
                .withMessage("The time of a block must be 1 ms to 366 days, but is PT0.000999999S");
        assertThatIllegalArgumentException().isThrownBy(() -> alice.block(Duration.ofDays(367)));
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("block-mail").block(Duration.ofDays(1)))
                .withMessageContaining("forKey");
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("block-mail").unblock());
    }

    private static int retryAfter(ValidatableResponse denied) {
        return Integer.parseInt(denied.statusCode(429).extract().header("Retry-After"));
    }

    private ValidatableResponse login() {
        return given().header("User", user).get("/blocked-login").then();
    }

    @Path("/blocked-login")
    public static class Login {

        @GET
        @RateLimited("block-login")
        public Response login() {
            return Response.status(401).build();
        }
    }

    @Singleton
    public static class Events {

        final Queue<String> blocked = new ConcurrentLinkedQueue<>();

        void exceeded(@ObservesAsync RateLimitExceeded event) {
            event.decision().denialReason().filter(DenialReason.BLOCKED::equals)
                    .ifPresent(reason -> blocked.add(event.decision().key()));
        }
    }
}
