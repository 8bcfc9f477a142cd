package io.quarkiverse.ratelimit.test.waiting;

import static io.restassured.RestAssured.given;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** The headers of a delayed call are true when they are sent. */
@QuarkusTest
class DelayedHeadersTest {

    /** Also the delay of a second call, in seconds. */
    private static final int PERIOD = 3;

    /** The response to the last request of each path. All are sent at once, as each waits for a period. */
    private static Map<String, CompletableFuture<TimedResponse>> last;

    @BeforeEach
    void send() {
        if (last == null) {
            last = Stream.of("resource", "only-route", "refilled", "two", "behind-route").collect(toMap(path -> path,
                    path -> CompletableFuture.supplyAsync(() -> TimedResponse.last(path.equals("refilled") ? 4 : 2, path),
                            task -> new Thread(task).start())));
        }
    }

    @Test
    void resetIsAsOfTheResponse() {
        assertDelayed(last("resource"), "\"paced\";r=0;t=");
    }

    @Test
    void resetOfARouteIsAsOfTheResponse() {
        assertDelayed(last("only-route"), "\"paced\";r=0;t=");
    }

    @Test
    void permitsThatHaveComeBackMeanwhileAreReported() {
        TimedResponse delayed = last("refilled");

        assertDelayed(delayed, "\"refilled\";r=2;t=");
        assertThat(delayed.header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void otherPoliciesOfTheCallAreAsOfTheResponseToo() {
        TimedResponse delayed = last("two");

        assertThat(delayed.header("RateLimit")).startsWith("\"paced\";r=0;t=").endsWith(", \"second\";r=100");
        assertThat(delayed.header("X-RateLimit-Limit")).isEqualTo("1");
    }

    @Test
    void routeThatWasDecidedBeforeTheDelayIsAsOfTheResponseToo() {
        assertThat(last("behind-route").header("RateLimit")).startsWith("\"route\";r=100, \"paced\";r=0;t=");
    }

    private static TimedResponse last(String path) {
        return last.get(path).orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** All permits are available again after one more period, less the time that the response took to arrive. */
    private static void assertDelayed(TimedResponse delayed, String state) {
        assertThat(delayed.header("RateLimit")).startsWith(state);
        assertThat(Long.parseLong(delayed.header("RateLimit").replaceAll(".*;t=", ""))).isBetween(1L, (long) PERIOD);
        assertThat(Long.parseLong(delayed.header("X-RateLimit-Reset")) - delayed.second).isBetween(0L, PERIOD + 1L);
    }

    /** A response, and in which second since the epoch it arrived. */
    private record TimedResponse(Response response, long second) {

        /** The response to the last of this number of requests, which alone is delayed. */
        static TimedResponse last(int requests, String path) {
            Response response = null;
            for (int i = 0; i < requests; i++) {
                response = given().queryParam("caller", path).get("/delayed/" + path);
                assertThat(response.statusCode()).isEqualTo(200);
            }
            assertThat(response.timeIn(TimeUnit.MILLISECONDS)).as("was delayed").isGreaterThan(1_000);
            return new TimedResponse(response, System.currentTimeMillis() / 1_000);
        }

        String header(String name) {
            return response.header(name);
        }
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
