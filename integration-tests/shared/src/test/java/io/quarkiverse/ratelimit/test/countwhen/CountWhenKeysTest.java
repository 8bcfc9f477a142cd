package io.quarkiverse.ratelimit.test.countwhen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;

/** However many requests of a caller are refunded, Redis keeps one key that remembers it. */
@QuarkusTest
class CountWhenKeysTest {

    @Path("/kept-logins")
    public static class Logins {

        @GET
        @RateLimited("kept-logins")
        public String login() {
            return "welcome";
        }

        @GET
        @Path("failed")
        @RateLimited("kept-failures")
        public Response failed() {
            return Response.status(401).build();
        }
    }

    @TestHTTPResource("/kept-logins")
    URI logins;

    @Inject
    RedisDataSource redis;

    @Inject
    RateLimiters limiters;

    @Test
    @Tag("slow")
    void fiveThousandRefundedRequestsLeaveOneKey() throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int request = 0; request < 5_000; request++) {
            assertThat(client.send(HttpRequest.newBuilder(logins).build(), BodyHandlers.ofString()).statusCode())
                    .as("request %d", request).isEqualTo(200);
        }

        await().atMost(Duration.ofSeconds(20)).untilAsserted(
                () -> assertThat(keys()).hasSize(1).first().asString().endsWith(":kept-logins:refunds:ids"));
    }

    @Test
    void onlyCallsThatAreOftenRefundedAreTracked() throws Exception {
        HttpRequest failed = HttpRequest.newBuilder(URI.create(logins + "/failed")).build();
        HttpClient.newHttpClient().send(failed, BodyHandlers.ofString());
        RateLimiter budget = limiters.create("kept-budget", Limit.tokenBucket(10).refill(10, Duration.ofDays(1)));
        budget.forKey("acquired").tryAcquire();
        budget.forKey("reserved").reserve(1);

        assertThat(
                List.of("{kept-failures}:default:tb1", "{key=acquired}:kept-budget:default:tb1",
                        "{key=reserved}:kept-budget:default:tb1"))
                .extracting(key -> redis.string(String.class).strlen("rate-limit:" + key)).containsExactly(73L, 40L, 73L);
        redis.key().del(keys().toArray(String[]::new));
    }

    private List<String> keys() {
        return redis.key().keys("*kept-*");
    }
}
