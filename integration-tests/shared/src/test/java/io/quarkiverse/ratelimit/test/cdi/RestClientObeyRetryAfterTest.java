package io.quarkiverse.ratelimit.test.cdi;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.startsWith;

import java.net.URI;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.stream.IntStream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkiverse.ratelimit.test.fixtures.Observed;
import io.quarkus.rest.client.reactive.ClientExceptionMapper;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** A service that responds with an error and Retry-After is not called until then. */
@QuarkusTest
class RestClientObeyRetryAfterTest {

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(record -> record.getMessage().contains(" pauses ")
            && record.getLevel().intValue() >= Level.WARNING.intValue(),
            records -> assertThat(records).extracting(record -> record.getMessage().replaceAll(" pauses .*", ""))
                    .containsExactlyInAnyOrder("Policy retry-obeys", "Policy retry-waits", "Policy retry-ignores"));

    @TestHTTPResource
    URI application;

    @Inject
    Served served;

    @Inject
    Observed observed;

    @Inject
    LimiterClock clock;

    @Inject
    RateLimitAdmin admin;

    @Inject
    @RateLimitPolicy("retry-ignores")
    RateLimiter limiter;

    @Inject
    @RestClient
    Client injected;

    private String key;

    @BeforeEach
    void useAnotherKey() {
        key = UUID.randomUUID().toString();
    }

    @AfterEach
    void resetClock() {
        clock.reset();
    }

    /** How a call is made. */
    enum Kind {
        PLAIN {
            @Override
            void call(Client client, String key) {
                client.plain(key);
            }
        },
        DEFAULT_METHOD {
            @Override
            void call(Client client, String key) {
                client.byDefault(key);
            }
        },
        RESPONSE {
            @Override
            void call(Client client, String key) {
                client.response(key).close();
            }
        },
        UNI {
            @Override
            void call(Client client, String key) {
                client.uni(key).await().indefinitely();
            }
        },
        STAGE {
            @Override
            void call(Client client, String key) {
                client.stage(key).toCompletableFuture().join();
            }
        },
        STREAM {
            @Override
            void call(Client client, String key) {
                client.stream(key).collect().asList().await().indefinitely();
            }
        };

        abstract void call(Client client, String key);
    }

    @ParameterizedTest
    @ValueSource(strings = { "PLAIN", "DEFAULT_METHOD", "RESPONSE", "UNI", "STAGE", "STREAM" })
    void answerPausesTheKeyOfAnInjectedClient(String kind) {
        assertPauses(Kind.valueOf(kind), injected);
    }

    @ParameterizedTest
    @ValueSource(strings = { "PLAIN", "RESPONSE", "UNI", "STAGE", "STREAM" })
    void answerPausesTheKeyOfABuiltClient(String kind) {
        assertPauses(Kind.valueOf(kind), built());
    }

    private void assertPauses(Kind kind, Client client) {
        served.answer(key, 429, "30");
        fail(kind, client);
        served.answers.clear();

        RateLimitDecision denial = denied(kind, client);
        assertThat(denial.denialReason()).contains(DenialReason.PAUSED);
        assertThat(denial.retryAfter()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(34));
        assertThat(served.calls(key)).isEqualTo(1);
        kind.call(client, key + "other");

        // the bucket is empty at the end of the pause, and gets one permit each 3.6 s
        clock.advance(Duration.ofSeconds(35));
        kind.call(client, key);
        assertThat(served.calls(key)).isEqualTo(2);
    }

    private void fail(Kind kind, Client client) {
        try {
            kind.call(client, key);
        } catch (CompletionException | WebApplicationException | IllegalStateException answered) {
            assertThat(served.calls(key)).isPositive();
        }
    }

    private RateLimitDecision denied(Kind kind, Client client) {
        try {
            kind.call(client, key);
        } catch (CompletionException e) {
            return ((RateLimitExceededException) e.getCause()).decision();
        } catch (RateLimitExceededException e) {
            return e.decision();
        }
        throw new AssertionError("The call is allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-5", "soon", "", "99999999999999999999", "999999999",
            "Mon, 01 Jan 2001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Someday, 01 Jan 2031 00:00:00 GMT" })
    void valueThatMakesNoSenseIsIgnored(String retryAfter) {
        served.answer(key, 429, retryAfter);

        fail(Kind.PLAIN, injected);
        fail(Kind.PLAIN, injected);

        assertThat(served.calls(key)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = { 403, 408, 500, 529 })
    void otherErrorsPause(int status) {
        served.answer(key, status, "30");

        fail(Kind.PLAIN, injected);

        assertThat(denied(Kind.PLAIN, injected).denialReason()).contains(DenialReason.PAUSED);
    }

    @Test
    void successDoesNotPause() {
        served.answer(key, 200, "30");

        fail(Kind.PLAIN, injected);
        fail(Kind.PLAIN, injected);

        assertThat(served.calls(key)).isEqualTo(2);
    }

    @Test
    void longestOfSeveralFieldsCounts() {
        served.answers.put(key,
                () -> Response.status(429).header("Retry-After", "30").header("Retry-After", "299.997").build());

        fail(Kind.PLAIN, injected);

        assertThat(denied(Kind.PLAIN, injected).retryAfter()).isBetween(Duration.ofMinutes(4), Duration.ofSeconds(304));
    }

    @Test
    void limitThatTheServiceReportsAsUsedUpPauses() {
        served.answers.put(key, () -> Response.status(429).header("RateLimit", "\"default\";r=0;t=45").build());

        fail(Kind.PLAIN, injected);

        assertThat(denied(Kind.PLAIN, injected).retryAfter()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(49));
    }

    @Test
    void dateIsComparedWithTheDateOfTheAnswer() {
        ZonedDateTime wrong = ZonedDateTime.of(2001, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        served.answers.put(key, () -> Response.status(503)
                .header("Date", DateTimeFormatter.RFC_1123_DATE_TIME.format(wrong))
                .header("Retry-After", DateTimeFormatter.RFC_1123_DATE_TIME.format(wrong.plusMinutes(5))).build());

        fail(Kind.PLAIN, injected);

        assertThat(denied(Kind.PLAIN, injected).retryAfter()).isBetween(Duration.ofMinutes(4), Duration.ofSeconds(304));
    }

    @Test
    void pauseIsBounded() {
        served.answer(key, 503, "86400");

        fail(Kind.PLAIN, injected);

        assertThat(denied(Kind.PLAIN, injected).retryAfter()).isBetween(Duration.ofMinutes(9), Duration.ofSeconds(604));
    }

    @Test
    void policyThatDoesNotObeyGoesOn() {
        served.answer(key, 429, "30");

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> injected.stubborn(key)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(served.calls(key)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void codePausesAKeyOfAPolicyThatDoesNotObey(boolean reactive) {
        RateLimiter paused = limiter.forKey(key);
        if (reactive) {
            paused.reactive().pause(Duration.ofDays(300)).await().indefinitely();
        } else {
            paused.pause(Duration.ofDays(300));
        }

        assertThatThrownBy(() -> injected.stubborn(key)).isInstanceOfSatisfying(RateLimitExceededException.class, denial -> {
            assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED);
            assertThat(denial.decision().retryAfter()).isBetween(Duration.ofDays(299), Duration.ofDays(301));
        });
        assertThat(admin.policy("retry-ignores").blocked()).anyMatch(blocked -> blocked.reason() == DenialReason.PAUSED);
        paused.pause(Duration.ofSeconds(1));
        assertThat(paused.peek().retryAfter()).isGreaterThan(Duration.ofDays(299));

        paused.reset();
        assertThat(injected.stubborn(key)).isEqualTo("served");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void unblockEmptiesTheBucketOfAnOverride(boolean byOperator) {
        admin.policy("retry-ignores").forKey(key).override(Limit.tokenBucket(5_000).refill(1, Duration.ofDays(1)));
        limiter.forKey(key).pause(Duration.ofHours(1));
        if (byOperator) {
            admin.policy("retry-ignores").forKey(key).unblock();
        } else {
            limiter.forKey(key).unblock();
        }

        assertThat(limiter.forKey(key).peek().remaining()).isZero();
        assertThat(limiter.forKey(key).peek().retryAfter()).isBetween(Duration.ofHours(23), Duration.ofDays(1));
    }

    @Test
    void pauseOfCodeLastsAMillisecondToAYear() {
        for (Duration time : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofNanos(999_999), Duration.ofDays(367))) {
            assertThatThrownBy(() -> limiter.forKey(key).pause(time)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> limiter.forKey(key).pause(null)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void callWithMaxWaitWaitsForTheEndOfThePause() {
        served.answer(key, 429, "1");
        long began = System.nanoTime();
        assertThatThrownBy(() -> injected.waiting(key)).isInstanceOf(IllegalStateException.class);
        served.answers.clear();

        injected.waiting(key);

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(900));
    }

    @Test
    void pauseThatIsTooLongForMaxWaitDenies() {
        served.answer(key, 429, "30");
        assertThatThrownBy(() -> injected.waiting(key)).isInstanceOf(IllegalStateException.class);

        assertThatThrownBy(() -> injected.waiting(key)).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED));
        assertThat(served.calls(key)).isEqualTo(1);
    }

    @Test
    void denialWithinAServedRequestIsAProblem() {
        served.answer(key, 429, "30");
        fail(Kind.PLAIN, injected);

        given().when().get("/retrying/" + key).then().statusCode(429).header("Retry-After", notNullValue())
                .body("title", equalTo("Quota Exceeded"))
                .body("detail", startsWith("Policy retry-obeys is paused. Retry after "));
    }

    @Test
    void answersToCallsAtTheSameTimeAreOnePause() {
        served.answer(key, 429, "30");
        served.gate = new CountDownLatch(8);
        List<String> decisions = observed.of(() -> {
            List<CompletionStage<String>> calls = IntStream.range(0, 8).mapToObj(i -> injected.stage(key)).toList();
            calls.forEach(call -> assertThatThrownBy(() -> call.toCompletableFuture().join())
                    .hasCauseInstanceOf(IllegalStateException.class));
        });

        await().untilAsserted(() -> assertThat(decisions).containsOnlyOnce("retry-obeys paused"));
        denied(Kind.PLAIN, injected);
        assertThat(decisions).containsOnlyOnce("retry-obeys paused");
    }

    private Client built() {
        return RestClientBuilder.newBuilder().baseUri(application).build(Client.class);
    }

    @Path("/retried")
    @RegisterRestClient(configKey = "retried")
    public interface Client {

        @GET
        @Path("{key}")
        @RateLimited("retry-obeys")
        String plain(@RateLimitKey @PathParam("key") String key);

        @RateLimited("retry-obeys")
        default String byDefault(@RateLimitKey String key) {
            return free(key);
        }

        @GET
        @Path("{key}")
        String free(@PathParam("key") String key);

        @GET
        @Path("{key}")
        @RateLimited("retry-obeys")
        Response response(@RateLimitKey @PathParam("key") String key);

        @GET
        @Path("{key}")
        @RateLimited("retry-obeys")
        Uni<String> uni(@RateLimitKey @PathParam("key") String key);

        @GET
        @Path("{key}")
        @RateLimited("retry-obeys")
        CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key);

        @GET
        @Path("{key}")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        @RateLimited("retry-obeys")
        Multi<String> stream(@RateLimitKey @PathParam("key") String key);

        @GET
        @Path("{key}")
        @RateLimited("retry-waits")
        String waiting(@RateLimitKey @PathParam("key") String key);

        @GET
        @Path("{key}")
        @RateLimited("retry-ignores")
        String stubborn(@RateLimitKey @PathParam("key") String key);

        @ClientExceptionMapper
        static RuntimeException failure(Response response) {
            return response.getStatus() == 429 ? new IllegalStateException("mapped") : null;
        }
    }

    @Path("/retried/{key}")
    @Singleton
    public static class Served {

        final Map<String, Supplier<Response>> answers = new ConcurrentHashMap<>();
        private final List<String> calls = new CopyOnWriteArrayList<>();
        volatile CountDownLatch gate = new CountDownLatch(0);

        void answer(String key, int status, String retryAfter) {
            answers.put(key, () -> Response.status(status).header("Retry-After", retryAfter).build());
        }

        long calls(String key) {
            return calls.stream().filter(key::equals).count();
        }

        @GET
        public Response get(@PathParam("key") String key) throws InterruptedException {
            calls.add(key);
            gate.countDown();
            gate.await();
            return answers.getOrDefault(key, () -> Response.ok("served").build()).get();
        }
    }

    @Path("/retrying/{key}")
    public static class Calls {

        @Inject
        @RestClient
        Client client;

        @GET
        public String call(@PathParam("key") String key) {
            return client.plain(key);
        }
    }
}
