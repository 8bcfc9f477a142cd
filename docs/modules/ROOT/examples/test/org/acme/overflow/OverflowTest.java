package org.acme.overflow;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;

/** One policy of a chain is enough. */
@QuarkusTest
class OverflowTest extends FreshLimits {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Inject
    AgroalDataSource database;

    @Inject
    RateLimiters limiters;

    @Test
    void greedyTenantUsesThePoolButNoMinimumOfOthers() {
        for (int call = 1; call <= 5; call++) {
            image("greedy").statusCode(200);
        }
        image("greedy").statusCode(429).header("Retry-After", startsWith("2"));

        for (int call = 1; call <= 2; call++) {
            image("small").statusCode(200).header("X-RateLimit-Limit", is("2"));
        }
        image("small").statusCode(429);
    }

    @Test
    void tenantThatStaysWithinItsMinimumIsAlwaysAllowed() {
        for (int minute = 1; minute <= 3; minute++) {
            for (int call = 1; call <= 10; call++) {
                image("greedy");
            }
            image("small").statusCode(200);
            image("small").statusCode(200);
            limits.advance(MINUTE);
        }
    }

    @Test
    void poolPaysWhatIsBeyondTheMinimum() {
        image("acme");
        image("acme").header("RateLimit", startsWith("\"tenant-minimum\";r=0;t="));

        image("acme").statusCode(200).header("X-RateLimit-Limit", is("3")).header("X-RateLimit-Remaining", is("2"))
                .header("RateLimit-Policy", is("\"tenant-minimum\";q=2;w=60, \"shared-pool\";q=3;w=60"));
    }

    @Test
    void poolNeedsNoKeyInCode() {
        Stream<RateLimitDecision> calls = Stream.generate(() -> limiters.get("tenant-minimum").forKey("acme").tryAcquire());

        assertThat(calls.limit(5)).allMatch(RateLimitDecision::allowed).extracting(RateLimitDecision::policy)
                .containsExactly("tenant-minimum", "tenant-minimum", "shared-pool", "shared-pool", "shared-pool");
        assertThat(limiters.get("tenant-minimum").forKey("acme").tryAcquire().allowed()).isFalse();
    }

    @Test
    void creditsAreUsedAfterTheIncludedCalls() throws SQLException {
        execute("drop table if exists account", "create table account (name varchar(100) primary key, credits bigint)",
                "insert into account values ('acme', 2)");
        for (int call = 1; call <= 4; call++) {
            large("acme").statusCode(200);
        }
        large("acme").statusCode(429);

        execute("update account set credits = 3 where name = 'acme'");
        limits.advance(Duration.ofSeconds(10));
        large("acme").statusCode(200).header("X-RateLimit-Limit", is("3")).header("X-RateLimit-Remaining", is("0"));
        large("unknown").statusCode(200);
        large("unknown").statusCode(200);
        large("unknown").statusCode(200).header("X-RateLimit-Limit", is("1"));
        large("unknown").statusCode(429);
    }

    @Test
    void teamAndOrganizationPayWhenTheUserCannot() {
        for (String payer : new String[] { "1", "2", "2", "3", "3", "3" }) {
            of("acme/blue/alice").statusCode(200).header("X-RateLimit-Limit", is(payer));
        }
        of("acme/blue/alice").statusCode(429);

        of("acme/blue/bob").statusCode(200);
        of("acme/blue/bob").statusCode(429);
        of("acme/red/carol").statusCode(200);
        of("acme/red/carol").statusCode(200).header("X-RateLimit-Limit", is("2"));
        of("other/blue/alice").statusCode(200);
    }

    @Test
    void slowCallsFollowFastOnes() {
        for (int call = 1; call <= 2; call++) {
            given().get("/images/preview").then().statusCode(200);
        }
        long began = System.nanoTime();
        given().get("/images/preview").then().statusCode(200);
        given().get("/images/preview").then().statusCode(200);

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(900));
    }

    private static ValidatableResponse image(String tenant) {
        return given().header("X-Tenant", tenant).get("/images").then();
    }

    private static ValidatableResponse large(String account) {
        return given().header("X-Account", account).get("/images/large").then();
    }

    private static ValidatableResponse of(String user) {
        return given().get("/images/of/" + user).then();
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
