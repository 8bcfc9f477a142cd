package org.acme.logins;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Failed logins are limited for each user and each address; successful ones are not. */
@QuarkusTest
class SignInTest extends FreshLimits {

    @Inject
    Lockouts lockouts;

    @Test
    void successesDoNotCount() {
        for (int call = 0; call < 30; call++) {
            signIn("alice", "secret").then().statusCode(204);
        }
    }

    @Test
    void sixthGuessOfOnePasswordIsDenied() {
        for (int guess = 0; guess < 5; guess++) {
            signIn("alice", "guess").then().statusCode(401);
        }

        signIn("alice", "guess").then().statusCode(429).body("'violated-policies'", is(List.of("login-user")));
        signIn("alice", "secret").then().statusCode(429);
        signIn("bob", "secret").then().statusCode(204);
    }

    @Test
    void otherSpellingsOfANameAreTheSameUser() {
        for (String spelling : List.of("alice", "ALICE", " alice ", "Alice", "aLICE")) {
            signIn(spelling, "guess").then().statusCode(401);
        }

        signIn("alice", "secret").then().statusCode(429);
    }

    @Test
    void addressThatTriesManyUsersIsDenied() {
        for (int user = 0; user < 20; user++) {
            signIn("user" + user, "guess").then().statusCode(401);
        }

        signIn("alice", "secret").then().statusCode(429).body("'violated-policies'", is(List.of("login-address")));
    }

    @Test
    void addressIsLimitedByAnAnnotationToo() {
        for (int user = 0; user < 20; user++) {
            given().formParam("user", "user" + user).post("/form-sign-in").then().statusCode(401);
        }

        given().formParam("user", "alice").post("/form-sign-in").then().statusCode(429)
                .body("'violated-policies'", is(List.of("login-address")));
    }

    @Test
    void oneMoreGuessIsPossibleEveryThreeMinutes() {
        for (int guess = 0; guess < 5; guess++) {
            signIn("alice", "guess").then().statusCode(401);
        }

        for (int more = 0; more < 3; more++) {
            limits.advance(Duration.ofSeconds(170));
            signIn("alice", "guess").then().statusCode(429);
            limits.advance(Duration.ofSeconds(10));
            signIn("alice", "guess").then().statusCode(401);
        }
    }

    @Test
    void userWhoseLimitIsExceededTenTimesIsBlockedForLongerEachTime() {
        for (int guess = 0; guess < 14; guess++) {
            signIn("alice", "guess");
        }
        signIn("alice", "guess").then().statusCode(429).header("Retry-After", "1800");
        limits.advance(Duration.ofMinutes(29));
        signIn("alice", "secret").then().statusCode(429)
                .body("detail", startsWith("Policy login-user has blocked the caller."));

        limits.advance(Duration.ofMinutes(1));
        signIn("alice", "secret").then().statusCode(204);
        for (int guess = 0; guess < 5; guess++) {
            signIn("alice", "guess").then().statusCode(401);
        }
        for (int guess = 0; guess < 9; guess++) {
            signIn("alice", "guess").then().statusCode(429);
        }
        signIn("alice", "guess").then().statusCode(429).header("Retry-After", "3600");
    }

    @Test
    void supportUnblocksAUser() {
        for (int guess = 0; guess < 15; guess++) {
            signIn("alice", "guess");
        }
        signIn("alice", "secret").then().statusCode(429);

        lockouts.end("alice");

        limits.advance(Duration.ofMinutes(3));
        signIn("alice", "secret").then().statusCode(204);
        lockouts.lock("alice");
        signIn("alice", "secret").then().statusCode(429).header("Retry-After", "86400");
    }

    @Test
    void tokenBucketAllowsTenGuessesInItsFirstPeriod() {
        for (int guess = 0; guess < 5; guess++) {
            signIn("alice", "guess").then().statusCode(401);
        }

        for (int guess = 0; guess < 5; guess++) {
            limits.advance(Duration.ofMinutes(3));
            signIn("alice", "guess").then().statusCode(401);
        }
    }

    @Test
    void slidingLogAllowsFiveGuessesOfACodeInAnyMinute() {
        for (int guess = 0; guess < 5; guess++) {
            code("314159").then().statusCode(401);
        }

        limits.advance(Duration.ofSeconds(50));
        code("314159").then().statusCode(429);
        limits.advance(Duration.ofSeconds(10));
        code("271828").then().statusCode(204);
    }

    @Test
    void guessesAtTheSameTimeAreLimitedToo() {
        List<Integer> statuses = Stream.generate(() -> "alice").limit(15).parallel()
                .map(user -> signIn(user, "guess").statusCode()).toList();

        assertThat(statuses).filteredOn(status -> status == 401).hasSizeLessThanOrEqualTo(5);
    }

    private static Response signIn(String user, String password) {
        return given().contentType("application/json").body(Map.of("user", user, "password", password)).post("/sign-in");
    }

    private static Response code(String code) {
        return given().contentType("application/json").body(Map.of("user", "alice", "code", code)).post("/codes");
    }
}
