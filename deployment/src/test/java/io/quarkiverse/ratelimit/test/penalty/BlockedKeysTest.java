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
import java.util.logging.LogRecord;
import java.util.stream.Collectors;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

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
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.ValidatableResponse;

/** What callers, code and observers see of a penalty, and of keys that code blocks. */
class BlockedKeysTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Login.class, Events.class))
            .overrideConfigKey("quarkus.rate-limit.policies.login.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.login.period", "10m")
            .overrideConfigKey("quarkus.rate-limit.policies.login.key", "header:User")
            .overrideConfigKey("quarkus.rate-limit.policies.login.count-when", "401")
            .overrideConfigKey("quarkus.rate-limit.policies.login.penalty.after", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.login.penalty.within", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.login.penalty.block", "30m")
            .overrideConfigKey("quarkus.rate-limit.policies.login.penalty.max-block", "10h")
            .overrideConfigKey("quarkus.rate-limit.policies.mail.limits.fast.permits", "5")
            .overrideConfigKey("quarkus.rate-limit.policies.mail.limits.fast.period", "1s")
            .overrideConfigKey("quarkus.rate-limit.policies.mail.limits.slow.permits", "50")
            .overrideConfigKey("quarkus.rate-limit.policies.mail.limits.slow.period", "1d")
            .overrideConfigKey("quarkus.rate-limit.policies.everybody.permits", "50")
            .overrideConfigKey("quarkus.rate-limit.policies.everybody.period", "1d")
            .overrideConfigKey("quarkus.rate-limit.policies.everybody.key", "global")
            .overrideConfigKey("quarkus.rate-limit.policies.shadow.permits", "1")
            .overrideConfigKey("quarkus.rate-limit.policies.shadow.period", "1d")
            .overrideConfigKey("quarkus.rate-limit.policies.shadow.mode", "shadow")
            .overrideConfigKey("quarkus.rate-limit.policies.watched.permits", "1")
            .overrideConfigKey("quarkus.rate-limit.policies.watched.period", "1d")
            .overrideConfigKey("quarkus.rate-limit.policies.watched.mode", "shadow")
            .overrideConfigKey("quarkus.rate-limit.policies.watched.penalty.after", "1")
            .overrideConfigKey("quarkus.rate-limit.policies.watched.penalty.within", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.watched.penalty.block", "30m")
            .overrideConfigKey("quarkus.rate-limit.policies.off.permits", "1")
            .overrideConfigKey("quarkus.rate-limit.policies.off.period", "1d")
            .overrideConfigKey("quarkus.rate-limit.policies.off.enabled", "false")
            .overrideConfigKey("quarkus.log.category.\"io.quarkiverse.ratelimit.denied\".level", "DEBUG")
            .setLogRecordPredicate(record -> record.getLoggerName().equals("io.quarkiverse.ratelimit.denied")
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
        login().statusCode(401).header("RateLimit", startsWith("\"login\";r=1;t="));
        login().statusCode(401);
        assertThat(retryAfter(login())).isBetween(240, 300);
        ValidatableResponse blocked = login();
        assertThat(retryAfter(blocked)).isEqualTo(1800);
        blocked.header("RateLimit", "\"login\";r=0;t=1800").header("RateLimit-Policy", "\"login\";q=2;w=600")
                .header("X-RateLimit-Remaining", "0")
                .body("type", equalTo("https://iana.org/assignments/http-problem-types#quota-exceeded"))
                .body("detail", equalTo("Policy login has blocked the caller. Retry after 1800 s."))
                .body("'violated-policies'", contains("login"));

        clock.advance(Duration.ofMinutes(15));
        assertThat(retryAfter(login())).isBetween(840, 900);
        clock.advance(Duration.ofMinutes(15));
        login().statusCode(401);
        login().statusCode(401);
        assertThat(retryAfter(login())).isBetween(240, 300);
        assertThat(retryAfter(login())).isEqualTo(3600);
        given().header("User", "another").get("/login").then().statusCode(401).header("Retry-After", nullValue());
    }

    @Test
    void eventAndLogReportThatTheKeyIsBlocked() {
        RateLimiter login = limiters.get("login").forKey(user);
        login.block(Duration.ofMinutes(5));

        String key = login.tryAcquire().key();

        await().until(() -> events.blocked.contains(key));
        APP.assertLogRecords(records -> assertThat(records).extracting(LogRecord::getParameters)
                .contains(new Object[] { "login", key, ", which is blocked" }));
    }

    @Test
    void codeBlocksAndUnblocksKeysOfAPolicyWithoutAPenalty() {
        RateLimiter alice = limiters.get("mail").forKey(user);
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
        assertThat(limiters.get("mail").forKey("another" + user).tryAcquire().allowed()).isTrue();

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
        String penalized = limiters.get("login").forKey(user).peek().key();
        assertThat(blocked("login")).hasEntrySatisfying(penalized,
                left -> assertThat(left).isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30)));

        for (String policy : List.of("mail", "everybody", "shadow")) {
            RateLimiter limiter = policy.equals("everybody") ? limiters.get(policy) : limiters.get(policy).forKey(user);
            limiter.block(Duration.ofHours(2));
            limiter.block(Duration.ofHours(1));
            assertThat(blocked(policy)).hasEntrySatisfying(limiter.peek().key(),
                    left -> assertThat(left).isBetween(Duration.ofMinutes(59), Duration.ofHours(1)));
        }

        RateLimiter mail = limiters.get("mail").forKey(user);
        clock.advance(Duration.ofMinutes(40));
        assertThat(blocked("login")).doesNotContainKey(penalized);
        assertThat(blocked("mail").get(mail.peek().key())).isBetween(Duration.ofMinutes(19), Duration.ofMinutes(20));
        mail.unblock();
        assertThat(blocked("mail")).doesNotContainKey(mail.peek().key());
    }

    @Test
    void keyThatAPenaltyWouldBlockInShadowModeIsListed() {
        RateLimiter watched = limiters.get("watched").forKey(user);
        watched.tryAcquire();
        assertThat(blocked("watched")).isEmpty();

        String key = watched.tryAcquire().key();

        assertThat(blocked("watched")).containsOnlyKeys(key);
        assertThat(admin.mostDenied("watched", 10)).isEmpty();
    }

    private Map<String, Duration> blocked(String policy) {
        return admin.blocked(policy).stream().collect(Collectors.toMap(BlockedKey::key, BlockedKey::timeLeft));
    }

    @Test
    void blockEndsByItself() {
        RateLimiter alice = limiters.get("mail").forKey(user);
        alice.reactive().block(Duration.ofMinutes(1)).await().indefinitely();
        assertThat(alice.tryAcquire().allowed()).isFalse();

        clock.advance(Duration.ofMinutes(1));

        assertThat(alice.tryAcquire().allowed()).isTrue();
    }

    @Test
    void countOfEverybodyIsBlocked() {
        RateLimiter everybody = limiters.get("everybody");
        everybody.block(Duration.ofMinutes(1));

        assertThat(everybody.tryAcquire().denialReason()).contains(DenialReason.BLOCKED);
        everybody.reactive().unblock().await().indefinitely();
        assertThat(everybody.tryAcquire().allowed()).isTrue();
    }

    @Test
    void policyThatDeniesNobodyBlocksNobody() {
        for (String policy : List.of("shadow", "off")) {
            limiters.get(policy).forKey(user).block(Duration.ofMinutes(1));
            assertThat(limiters.get(policy).forKey(user).tryAcquire().allowed()).isTrue();
        }
    }

    @Test
    void timeOfABlockIsChecked() {
        RateLimiter alice = limiters.get("mail").forKey(user);

        assertThatIllegalArgumentException().isThrownBy(() -> alice.block(null)).withMessageContaining("is required");
        assertThatIllegalArgumentException().isThrownBy(() -> alice.block(Duration.ofNanos(999_999)))
                .withMessage("The time of a block must be 1 ms to 366 days, but is PT0.000999999S");
        assertThatIllegalArgumentException().isThrownBy(() -> alice.block(Duration.ofDays(367)));
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("mail").block(Duration.ofDays(1)))
                .withMessageContaining("forKey");
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("mail").unblock());
    }

    private static int retryAfter(ValidatableResponse denied) {
        return Integer.parseInt(denied.statusCode(429).extract().header("Retry-After"));
    }

    private ValidatableResponse login() {
        return given().header("User", user).get("/login").then();
    }

    @Path("login")
    public static class Login {

        @GET
        @RateLimited("login")
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
