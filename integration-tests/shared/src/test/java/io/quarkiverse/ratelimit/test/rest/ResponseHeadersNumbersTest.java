package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

@QuarkusTest
class ResponseHeadersNumbersTest {

    @Test
    void retryAfterIsRoundedUp() {
        long start = System.currentTimeMillis();
        Response allowed = get("/numbers/uneven");
        Response denied = get("/numbers/uneven");

        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"uneven\";q=1");
        long elapsed = System.currentTimeMillis() - start;
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(Long.parseLong(denied.header("Retry-After"))).isBetween((9900 - elapsed + 999) / 1000, 10L);
        assertThat(denied.header("RateLimit")).isEqualTo("\"uneven\";r=0;t=" + denied.header("Retry-After"));
    }

    @Test
    void retryAfterIsAtLeastOne() {
        Response denied = Stream.generate(() -> get("/numbers/short")).filter(response -> response.statusCode() == 429)
                .findFirst().orElseThrow();

        assertThat(denied.header("Retry-After")).isEqualTo("1");
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"short\";q=1");
    }

    @Test
    void burstIsTheCapacity() {
        assertThat(get("/numbers/bursty").header("RateLimit-Policy")).isEqualTo("\"bursty\";q=30;w=1800");
    }

    @Test
    void permitsThatComeAtOnceAreAwaitedTogether() {
        assertThat(get("/numbers/at-once").header("RateLimit")).matches("\"at-once\";r=2;t=(3600|35\\d\\d)");
        get("/numbers/at-once");
        get("/numbers/at-once");

        Limits.assertRetryAfter(3600, get("/numbers/at-once"));
    }

    @Test
    void costBeyondTheCapacityIsDeniedForEver() {
        Response denied = get("/numbers/dear");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().hasHeaderWithName("Retry-After")).isFalse();
        assertThat(denied.jsonPath().getString("detail")).contains("can ever allow");
        assertThat(Limits.left(get("/numbers/costly"))).isEqualTo("\"small\";r=0");
    }

    @Test
    void ofEquallyUsedLimitsTheFirstByNameIsReported() {
        long inTwoHours = System.currentTimeMillis() / 1000 + 2400;

        Response allowed = get("/numbers/tie");

        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"tie.a\";q=3;w=7200, \"tie.b\";q=3;w=3600");
        assertThat(Long.parseLong(allowed.header("X-RateLimit-Reset"))).isBetween(inTwoHours, inTwoHours + 10);
    }

    @Test
    void denyingLimitIsReported() {
        assertThat(Limits.left(get("/numbers/many"))).isEqualTo("\"minute-and-day.day\";r=4, \"minute-and-day.minute\";r=1");
        assertThat(get("/numbers/many").header("X-RateLimit-Limit")).isEqualTo("2");

        Response denied = get("/numbers/many");

        assertThat(denied.header("X-RateLimit-Limit")).isEqualTo("2");
        Limits.assertRetryAfter(1800, denied);
        assertThat(Limits.left(denied)).isEqualTo("\"minute-and-day.day\";r=3, \"minute-and-day.minute\";r=0");
        assertThat(denied.jsonPath().getList("violated-policies")).isEqualTo(List.of("minute-and-day.minute"));
    }

    @Path("/numbers")
    public static class Resource {
        @GET
        @Path("uneven")
        @RateLimited("uneven")
        public String uneven() {
            return "uneven";
        }

        @GET
        @Path("short")
        @RateLimited("short")
        public String brief() {
            return "short";
        }

        @GET
        @Path("bursty")
        @RateLimited("bursty")
        public String bursty() {
            return "bursty";
        }

        @GET
        @Path("at-once")
        @RateLimited("at-once")
        public String atOnce() {
            return "at-once";
        }

        @GET
        @Path("dear")
        @RateLimited(value = "small", cost = 4)
        public String dear() {
            return "dear";
        }

        @GET
        @Path("costly")
        @RateLimited(value = "small", cost = 3)
        public String costly() {
            return "costly";
        }

        @GET
        @Path("tie")
        @RateLimited("tie")
        public String tie() {
            return "tie";
        }

        @GET
        @Path("many")
        @RateLimited("minute-and-day")
        public String many() {
            return "many";
        }
    }
}
