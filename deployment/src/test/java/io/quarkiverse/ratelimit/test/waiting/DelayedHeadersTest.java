package io.quarkiverse.ratelimit.test.waiting;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** The headers of a delayed call are true when they are sent. */
class DelayedHeadersTest {

    /** Also the delay of a second call, in seconds. */
    private static final int PERIOD = 3;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Resource.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.paced.algorithm=leaky-bucket
                    quarkus.rate-limit.policies.paced.permits=1
                    quarkus.rate-limit.policies.paced.period=3s
                    quarkus.rate-limit.policies.paced.max-wait=20s
                    quarkus.rate-limit.policies.paced.key=query:caller
                    quarkus.rate-limit.policies.refilled.permits=3
                    quarkus.rate-limit.policies.refilled.period=3s
                    quarkus.rate-limit.policies.refilled.refill=interval
                    quarkus.rate-limit.policies.refilled.max-wait=20s
                    quarkus.rate-limit.policies.refilled.key=query:caller
                    quarkus.rate-limit.policies.second.permits=100
                    quarkus.rate-limit.policies.second.period=100s
                    quarkus.rate-limit.policies.second.key=query:caller
                    quarkus.rate-limit.policies.route.permits=100
                    quarkus.rate-limit.policies.route.period=100s
                    quarkus.rate-limit.policies.route.key=query:caller
                    quarkus.rate-limit.routes.paced.paths=/delayed/only-route
                    quarkus.rate-limit.routes.paced.policy=paced
                    quarkus.rate-limit.routes.before.paths=/delayed/behind-route
                    quarkus.rate-limit.routes.before.policy=route
                    """);

    @Test
    void resetIsAsOfTheAnswer() {
        assertDelayed(last(2, "resource"), "\"paced\";r=0;t=");
    }

    @Test
    void resetOfARouteIsAsOfTheAnswer() {
        assertDelayed(last(2, "only-route"), "\"paced\";r=0;t=");
    }

    @Test
    void permitsThatHaveComeBackMeanwhileAreTold() {
        Response delayed = last(4, "refilled");

        assertDelayed(delayed, "\"refilled\";r=2;t=");
        assertThat(delayed.header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void otherPoliciesOfTheCallAreAsOfTheAnswerToo() {
        Response delayed = last(2, "two");

        assertThat(delayed.header("RateLimit")).startsWith("\"paced\";r=0;t=").endsWith(", \"second\";r=100");
        assertThat(delayed.header("X-RateLimit-Limit")).isEqualTo("1");
    }

    @Test
    void routeThatWasMetBeforeTheDelayIsAsOfTheAnswerToo() {
        assertThat(last(2, "behind-route").header("RateLimit")).startsWith("\"route\";r=100, \"paced\";r=0;t=");
    }

    /** The limit is full again after one more period, less what the answer took to arrive. */
    private static void assertDelayed(Response delayed, String state) {
        long now = System.currentTimeMillis() / 1_000;
        assertThat(delayed.header("RateLimit")).startsWith(state);
        assertThat(Long.parseLong(delayed.header("RateLimit").replaceAll(".*;t=", ""))).isBetween(1L, (long) PERIOD);
        assertThat(Long.parseLong(delayed.header("X-RateLimit-Reset")) - now).isBetween(0L, PERIOD + 1L);
    }

    /** The answer to the last of so many requests, which alone is delayed. */
    private static Response last(int requests, String path) {
        Response answer = null;
        for (int i = 0; i < requests; i++) {
            answer = given().queryParam("caller", path).get("/delayed/" + path);
            assertThat(answer.statusCode()).isEqualTo(200);
        }
        assertThat(answer.timeIn(TimeUnit.MILLISECONDS)).as("was delayed").isGreaterThan(1_000);
        return answer;
    }

    @Path("/delayed")
    public static class Resource {
        @GET
        @Path("resource")
        @RateLimited("paced")
        public String resource() {
            return "done";
        }

        @GET
        @Path("only-route")
        public String onlyRoute() {
            return "done";
        }

        @GET
        @Path("refilled")
        @RateLimited("refilled")
        public String refilled() {
            return "done";
        }

        @GET
        @Path("two")
        @RateLimited("paced")
        @RateLimited("second")
        public String two() {
            return "done";
        }

        @GET
        @Path("behind-route")
        @RateLimited("paced")
        public String behindRoute() {
            return "done";
        }
    }
}
