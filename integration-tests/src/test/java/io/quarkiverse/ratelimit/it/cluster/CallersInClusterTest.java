package io.quarkiverse.ratelimit.it.cluster;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.startsWith;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** What callers see of limits in a Redis Cluster. */
@Tag("slow")
@QuarkusTest
@TestProfile(InClusterTest.Cluster.class)
class CallersInClusterTest {

    @Test
    void callersOnAllMastersAreCountedInRedis() {
        for (int caller = 0; caller < 30; caller++) {
            for (int left = 4; left >= 0; left--) {
                given().header("Caller", "of cluster " + caller).get("/limited/five-for-each").then().statusCode(200)
                        .header("RateLimit", startsWith("\"five-for-each\";r=" + left));
            }
        }
    }
}
