package org.acme.code;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Code asks a policy, tells where the caller stands and gives back what it did not use. */
@QuarkusTest
class OutboxTest extends FreshLimits {

    @Inject
    Outbox outbox;

    @Inject
    Tenants tenants;

    @Test
    void thirdMailHasToWait() {
        await(outbox.send("alice", "a"));
        assertThat(await(outbox.send("alice", "b"))).isEqualTo("sent b");

        assertThat(await(outbox.send("alice", "c"))).matches("try again in [1-9]\\d? s");
        assertThat(await(outbox.send("bob", "d"))).isEqualTo("sent d");
        assertThat(redis.key().keys("*")).containsExactlyInAnyOrder("rate-limit:{key=alice}:outbox:default",
                "rate-limit:{key=bob}:outbox:default");
    }

    @Test
    void refusalReachingRestIsAnsweredAsThatOfAResource() {
        given().body("a").post("/outbox/alice").then().statusCode(200).header("RateLimit", nullValue());
        given().body("b").post("/outbox/alice").then().statusCode(200);

        given().body("c").post("/outbox/alice").then().statusCode(429)
                .header("RateLimit", startsWith("\"outbox\";r=0;t="))
                .header("Retry-After", Integer::parseInt, lessThanOrEqualTo(30))
                .body("'violated-policies'", is(List.of("outbox")));
    }

    @Test
    void lookingCostsNothing() {
        when().get("/outbox/alice").then().header("X-RateLimit-Limit", is("2")).header("X-RateLimit-Remaining", is("2"));
        when().get("/outbox/alice").then().header("X-RateLimit-Remaining", is("2"));

        assertThat(redis.key().keys("*")).isEmpty();
    }

    @Test
    void mailThatFailsCostsNothing() {
        for (int mail = 1; mail <= 5; mail++) {
            assertThatThrownBy(() -> await(outbox.sendOrRefund("alice", ""))).isInstanceOf(IllegalArgumentException.class);
        }

        await(outbox.sendOrRefund("alice", "a"));
        await(outbox.sendOrRefund("alice", "b"));
        assertThatThrownBy(() -> await(outbox.sendOrRefund("alice", "c"))).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void asManyAreSentAsThereArePermits() {
        assertThat(await(outbox.sendAll("alice", 5))).isEqualTo(2);
        assertThat(await(outbox.sendAll("alice", 5))).isZero();
    }

    @Test
    void limiterNeedsNoConfiguration() {
        assertThat(await(tenants.mayImport("acme", "orders"))).isTrue();
        assertThat(await(tenants.mayImport("acme", "orders"))).isTrue();

        assertThat(await(tenants.mayImport("acme", "orders"))).isFalse();
        assertThat(await(tenants.mayImport("acme", "parcels"))).isTrue();
        assertThat(redis.key().keys("*")).contains("rate-limit:{key=acme|key=orders}:tenants:default");
    }

    private static <T> T await(Uni<T> uni) {
        return uni.await().indefinitely();
    }
}
