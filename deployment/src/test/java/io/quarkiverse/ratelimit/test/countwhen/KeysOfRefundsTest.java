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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** However many requests of a caller are refunded, Redis keeps one key that remembers it. */
class KeysOfRefundsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Logins.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.key-prefix=kept
                    quarkus.rate-limit.policies.logins.algorithm=fixed-window
                    quarkus.rate-limit.policies.logins.permits=10
                    quarkus.rate-limit.policies.logins.key=ip
                    quarkus.rate-limit.policies.logins.calendar=day
                    quarkus.rate-limit.policies.logins.count-when=401
                    quarkus.rate-limit.policies.failures.permits=10
                    quarkus.rate-limit.policies.failures.period=1d
                    quarkus.rate-limit.policies.failures.key=global
                    quarkus.rate-limit.policies.failures.count-when=401
                    """);

    @Path("/logins")
    public static class Logins {

        @GET
        @RateLimited("logins")
        public String login() {
            return "welcome";
        }

        @GET
        @Path("failed")
        @RateLimited("failures")
        public Response failed() {
            return Response.status(401).build();
        }
    }

    @TestHTTPResource("/logins")
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
                () -> assertThat(keys()).hasSize(1).first().asString().endsWith(":logins:refunds:ids"));
    }

    @Test
    void onlyCallsThatAreOftenRefundedAreTracked() throws Exception {
        HttpRequest failed = HttpRequest.newBuilder(URI.create(logins + "/failed")).build();
        HttpClient.newHttpClient().send(failed, BodyHandlers.ofString());
        RateLimiter budget = limiters.create("budget", Limit.tokenBucket(10).refill(10, Duration.ofDays(1)));
        budget.forKey("acquired").tryAcquire();
        budget.forKey("reserved").reserve(1);

        assertThat(List.of("{failures}:default", "{key=acquired}:budget:default", "{key=reserved}:budget:default"))
                .extracting(key -> redis.string(String.class).strlen("kept:" + key)).containsExactly(73L, 40L, 73L);
        redis.key().del(keys().toArray(String[]::new));
    }

    private List<String> keys() {
        return redis.key().keys("kept:*");
    }
}
