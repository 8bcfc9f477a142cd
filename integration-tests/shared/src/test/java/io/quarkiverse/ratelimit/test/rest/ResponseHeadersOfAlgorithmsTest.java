package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

@QuarkusTest
class ResponseHeadersOfAlgorithmsTest {

    private static final long HOUR = 3600;

    @ParameterizedTest
    @CsvSource({ "waiting, 'q=3;w=3600', r=2, 1200", "leaky, 'q=1;w=1200', r=0, 1200", "seven, 'q=1', r=0, 515",
            "window, 'q=3;w=3600', r=2, 3600", "sliding, 'q=3;w=3600', r=2, 7200", "log, 'q=3;w=3600', r=2, 3600" })
    void capacityAndWindowAreThoseOfTheAlgorithm(String policy, String capacity, String left, long longest) {
        Response response = get("/algorithms/" + policy);

        assertThat(response.header("RateLimit-Policy")).isEqualTo("\"" + policy + "\";" + capacity);
        assertThat(Limits.left(response)).isEqualTo("\"" + policy + "\";" + left);
        assertThat(Long.parseLong(response.header("RateLimit").replaceAll(".*;t=", ""))).isBetween(1L, longest);
        assertThat(reset(response)).isGreaterThan(0);
    }

    @Test
    void windowOfTheCalendarIsTheCurrentOne() {
        Response response = get("/algorithms/month");

        assertThat(response.header("RateLimit-Policy")).matches("\"month\";q=3;w=\\d+");
        assertThat(Long.parseLong(response.header("RateLimit-Policy").replaceAll(".*;w=", "")) / 24 / HOUR).isBetween(28L, 31L);
        assertThat(reset(response)).isLessThanOrEqualTo(Duration.ofDays(31).toSeconds() + 1);
    }

    @Test
    void limitOfCallsAtTheSameTimeHasAUnitAndNoTimes() {
        Response response = get("/algorithms/parallel");

        assertThat(response.header("RateLimit-Policy")).isEqualTo("\"parallel\";q=3;qu=\"concurrent-requests\"");
        assertThat(response.header("RateLimit")).isEqualTo("\"parallel\";r=2");
        assertThat(response.header("X-RateLimit-Limit")).isEqualTo("3");
        assertThat(reset(response)).isBetween(-60L, 1L);
    }

    /** In how many seconds from now all permits are available. */
    private static long reset(Response response) {
        return Long.parseLong(response.header("X-RateLimit-Reset")) - System.currentTimeMillis() / 1000;
    }

    @Path("/algorithms")
    public static class Resource {
        @GET
        @Path("waiting")
        @RateLimited("waiting")
        public String waiting() {
            return "waiting";
        }

        @GET
        @Path("leaky")
        @RateLimited("leaky")
        public String leaky() {
            return "leaky";
        }

        @GET
        @Path("seven")
        @RateLimited("seven")
        public String seven() {
            return "seven";
        }

        @GET
        @Path("window")
        @RateLimited("window")
        public String window() {
            return "window";
        }

        @GET
        @Path("sliding")
        @RateLimited("sliding")
        public String sliding() {
            return "sliding";
        }

        @GET
        @Path("log")
        @RateLimited("log")
        public String log() {
            return "log";
        }

        @GET
        @Path("month")
        @RateLimited("month")
        public String month() {
            return "month";
        }

        @GET
        @Path("parallel")
        @RateLimited("parallel")
        public String parallel() {
            return "parallel";
        }
    }
}
