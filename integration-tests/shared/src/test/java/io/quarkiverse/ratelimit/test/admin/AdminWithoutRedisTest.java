package io.quarkiverse.ratelimit.test.admin;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.time.Duration;

import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.http.ContentType;

/** While Redis is unavailable, an operation that needs it is answered with 503, over HTTP and where code administers limits. */
@QuarkusTest
@TestProfile(Profiles.WithoutRedis.class)
class AdminWithoutRedisTest {

    @ParameterizedTest
    @CsvSource({ "PUT, users/keys/alice/block, The key is blocked only on this instance",
            "DELETE, users/keys/alice/block, The key was unblocked only on this instance",
            "DELETE, users/keys/alice, The caller was reset only on this instance",
            "PUT, users/keys/alice/override, The override is not confirmed",
            "DELETE, users/override, The removal of the override is not confirmed",
            "PUT, users/shadow, The policy may still deny calls",
            "DELETE, users/shadow, The policy may still be in shadow mode",
            "DELETE, trial/blocked, The keys are not known",
            "GET, users/most-denied, The keys are not known",
            "GET, trial/blocked, The keys are not known" })
    void operationIsAProblemThatGivesTheTimeOfTheNextAttempt(String method, String path, String detail) {
        String body = path.endsWith("block") || path.endsWith("shadow") ? "{\"duration\": \"1h\"}" : "{\"permits\": 9}";

        given().auth().preemptive().basic("root", "root").contentType(ContentType.JSON).body(body)
                .request(method, "/q/rate-limit/policies/" + path).then()
                .statusCode(503).header("Retry-After", "1").contentType("application/problem+json")
                .body("status", equalTo(503)).body("detail", startsWith(detail + ": Redis is unavailable"));
    }

    @Test
    void policiesAreShownWithoutWhatOnlyRedisKnows() {
        given().auth().preemptive().basic("root", "root").get("/q/rate-limit/policies").then().statusCode(200)
                .body("policies.denials", everyItem(nullValue()))
                .body("policies.find { it.name == 'pairs' }.blocked", equalTo(0))
                .body("policies.find { it.name == 'trial' }.blocked", nullValue());
        given().auth().preemptive().basic("root", "root").get("/q/rate-limit/most-denied").then().statusCode(503)
                .body("detail", startsWith("The keys are not known: Redis is unavailable"));
    }

    @Test
    void requestWhoseCodeBlocksAKeyIsAnsweredLikeOneThatCannotBeDecided() {
        given().post("/support").then().statusCode(503).header("Retry-After", "1").contentType("application/problem+json")
                .body("title", equalTo("Temporary Reduced Capacity"));
    }

    @Path("/support")
    public static class Support {

        @Inject
        RateLimitAdmin admin;

        @POST
        public void block() {
            admin.policy("users").forKey("mallory").block(Duration.ofHours(1));
        }
    }
}
