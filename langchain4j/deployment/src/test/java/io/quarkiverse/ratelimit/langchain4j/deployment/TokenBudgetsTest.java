package io.quarkiverse.ratelimit.langchain4j.deployment;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.langchain4j.observability.api.event.AiServiceCompletedEvent;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.SystemMessage;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.langchain4j.runtime.aiservice.ChatEvent;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Clock;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls.CostObserver;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

/** A call of an AI service reserves tokens, and is settled with the usage that the model reports. */
class TokenBudgetsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = Budget
            .application(Assistant.class, Clerk.class, Interrupting.class, ChatResource.class,
                    FailingObserver.class)
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.monthly.permits", "10000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.monthly.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.failures.permits", "10000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.failures.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.failures.count-when", "4xx,5xx")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.delayed.permits", "10000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.delayed.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.delayed.max-wait", "10d");

    @RegisterAiService
    @ApplicationScoped
    public interface Assistant {

        @RateLimited("llm")
        @SystemMessage("Answer in three words.")
        String chat(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("llm")
        String estimated(@RateLimitKey String user, @UserMessage String question, @RateLimitCost int estimate);

        @RateLimited("llm")
        Multi<String> stream(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("llm")
        Multi<ChatEvent> events(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("monthly")
        Multi<String> monthlyStream(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("failures")
        String failures(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("failures")
        Multi<String> failuresStream(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("delayed")
        String delayed(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("delayed")
        Multi<String> delayedStream(@RateLimitKey String user, @UserMessage String question);
    }

    /** Fails whenever tokens are settled, which changes nothing. */
    @Singleton
    public static class FailingObserver implements CostObserver {

        @Override
        public void settled(String policy, long estimated, long used) {
            throw new IllegalStateException("no meter");
        }
    }

    /** Uses tools, so one call needs two calls of the model. */
    @RegisterAiService(tools = Clock.class)
    @ApplicationScoped
    @RateLimited("llm")
    public interface Clerk {

        String chat(@MemoryId String memory, @RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@MemoryId String memory, @RateLimitKey String user, @UserMessage String question);
    }

    /** Interrupts the calling thread when the model has replied. */
    @Singleton
    public static class Interrupting {

        void completed(@Observes AiServiceCompletedEvent event) {
            if (event.invocationContext().methodArguments().contains("interrupt")) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Path("/chat")
    public static class ChatResource {

        @Inject
        Assistant assistant;

        @GET
        @Path("{user}")
        public String chat(@PathParam("user") String user) {
            return assistant.chat(user, "hello");
        }

        @GET
        @Path("{user}/stream")
        public Multi<String> stream(@PathParam("user") String user) {
            return assistant.stream(user, "hello");
        }

        @GET
        @Path("{user}/failures")
        public String failures(@PathParam("user") String user) {
            return assistant.failures(user, "hello");
        }

        @GET
        @Path("{user}/failures-stream")
        public Multi<String> failuresStream(@PathParam("user") String user) {
            return assistant.failuresStream(user, "hello");
        }

        @GET
        @Path("{user}/both")
        public Multi<String> both(@PathParam("user") String user) {
            return Multi.createBy().merging().streams(assistant.stream(user, "hello"),
                    assistant.stream(user + "-other", "silent"));
        }
    }

    @Inject
    Assistant assistant;

    @Inject
    Clerk clerk;

    @Inject
    RedisDataSource redis;

    @Inject
    @RateLimitPolicy("llm")
    RateLimiter limiter;

    @Inject
    @RateLimitPolicy("monthly")
    RateLimiter monthly;

    @Inject
    @RateLimitPolicy("failures")
    RateLimiter failures;

    @Inject
    @RateLimitPolicy("delayed")
    RateLimiter delayed;

    @Inject
    RateLimitAdmin admin;

    private Budget budget;
    private String user;

    @BeforeEach
    void useANewKey() {
        budget = new Budget(limiter);
        user = budget.user;
    }

    @Test
    void callIsSettledWithTheReportedUsage() {
        assertThat(assistant.chat(user, "hello")).isEqualTo("one two three");

        budget.assertSettled(30, 1);
    }

    @Test
    void estimateIsReservedWhileTheModelRuns() {
        AssertSubscriber<String> stream = assistant.stream(user, "hang on a moment").subscribe()
                .withSubscriber(AssertSubscriber.create(100));
        stream.awaitNextItems(2, SOON);

        // 4 tokens of the prompt, 9 of the key, and at most 100 of the response
        budget.assertLeft(10_000 - 113, 9, 1);
        stream.cancel();
    }

    @Test
    void costArgumentIsTheEstimate() {
        assertThatThrownBy(() -> assistant.estimated(user, "hello", 10_001)).isInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(0, 0);

        assistant.estimated(user, "hello", 10_000);
        budget.assertSettled(30, 1);
    }

    @Test
    void costArgumentOfZeroReservesNothingAndIsSettledWithTheUsage() {
        assertThat(assistant.estimated(user, "hello", 0)).isEqualTo("one two three");
        assertThatThrownBy(() -> assistant.estimated(user, "hello", -1)).isInstanceOf(IllegalArgumentException.class);

        budget.assertSettled(30, 1);
    }

    @Test
    void streamIsSettledWithTheReportedUsage() {
        assertThat(assistant.stream(user, "hello").collect().asList().await().atMost(SOON)).containsExactly("one two ",
                "three");
        budget.assertSettled(30, 1);

        assistant.events(user, "hello").collect().asList().await().atMost(SOON);
        budget.assertSettled(60, 2);
    }

    @Test
    void canceledStreamCountsItsPromptAndWhatItProduced() {
        for (Multi<?> hanging : List.of(assistant.stream(user, "hang on a moment"), assistant.events(user, "hang on!"))) {
            AssertSubscriber<Object> stream = hanging.onItem().castTo(Object.class).subscribe()
                    .withSubscriber(AssertSubscriber.create(100));
            stream.awaitNextItems(2, SOON);
            stream.cancel();
        }

        // 4 and 9 of the prompt or 2 and 9, and twice 2 and 2 produced
        await().atMost(SOON).untilAsserted(() -> budget.assertSettled(17 + 15, 2));
    }

    @Test
    void failedCallIsARequestWithoutTokens() {
        assertThatThrownBy(() -> assistant.chat(user, "fail")).isNotInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(0, 1);

        assertThatThrownBy(() -> assistant.stream(user, "fail").collect().asList().await().atMost(SOON))
                .isNotInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(0, 2);
    }

    @Test
    void streamThatFailsLaterCountsWhatItProduced() {
        assertThatThrownBy(() -> assistant.stream(user, "break").collect().asList().await().atMost(SOON))
                .isNotInstanceOf(RateLimitExceededException.class);

        budget.assertSettled(2 + 9 + 4, 1);
    }

    @Test
    void allCallsOfTheModelAreSummed() {
        assertThat(clerk.chat("a" + user, user, "tool")).isEqualTo("one two three");
        budget.assertSettled(60, 1);

        assertThat(clerk.stream("b" + user, user, "tool").collect().asList().await().atMost(SOON)).hasSize(2);
        budget.assertSettled(120, 2);
    }

    @Test
    void usageThatIsNotReportedIsEstimated() {
        assistant.chat(user, "silent");
        // 6 of the template, 2 and 9 of the arguments, 4 of the response
        budget.assertSettled(21, 1);

        assistant.stream(user, "silent").collect().asList().await().atMost(SOON);
        budget.assertSettled(21 + 15, 2);
    }

    @Test
    void thirdCallAtTheSameTimeIsDenied() {
        List<AssertSubscriber<String>> streams = List.of(hanging(), hanging());

        assertThatThrownBy(() -> assistant.chat(user, "hello")).isInstanceOf(RateLimitExceededException.class)
                .extracting(denial -> ((RateLimitExceededException) denial).decision().limit()).isEqualTo("calls");
        assertThatThrownBy(() -> assistant.stream(user, "hello").collect().asList().await().atMost(SOON))
                .isInstanceOf(RateLimitExceededException.class);

        streams.forEach(AssertSubscriber::cancel);
        // 1 of each prompt, 9 of the key, and 4 produced; the denied calls are not charged
        await().atMost(SOON).untilAsserted(() -> budget.assertSettled(2 * 14, 2));
    }

    @Test
    void endpointTellsWhatIsLeft() {
        assertThat(given().get("/chat/" + user).header("RateLimit").replaceAll(";t=\\d+", ""))
                .isEqualTo("\"llm.calls\";r=2, \"llm.requests\";r=9, \"llm.tokens\";r=9970");

        limiter.forKey(user).reserve(9_970).settle(9_970);
        given().get("/chat/" + user).then().statusCode(429);
    }

    @Test
    void streamsOfOneRequestAreSettledEachForItself() {
        given().get("/chat/" + user + "/stream").then().statusCode(200);
        await().atMost(SOON).untilAsserted(() -> budget.assertLeft(10_000 - 30, 9, 2));

        given().get("/chat/" + user + "/both").then().statusCode(200);
        await().atMost(SOON).untilAsserted(() -> budget.assertLeft(10_000 - 60, 8, 2));
        assertThat(limiter.forKey(user + "-other").peek().limits().get(2).remaining()).isNotEqualTo(10_000 - 30)
                .isLessThan(10_000);
    }

    @Test
    void usedTokensStayChargedWhateverTheStatusOfTheResponse() {
        given().get("/chat/" + user + "/failures").then().statusCode(200);
        assertThat(failures.forKey(user).peek().remaining()).isEqualTo(10_000 - 30);

        given().get("/chat/" + user + "/failures-stream").then().statusCode(200);
        await().atMost(SOON).untilAsserted(
                () -> assertThat(failures.forKey(user).peek().remaining()).isEqualTo(10_000 - 60));
    }

    @Test
    void metricComparesUsageWithTheEstimate() {
        assistant.chat(user, "hello");

        assertThat(given().get("/q/metrics").asString()).contains("rate_limit_tokens_total{kind=\"estimated\",policy=\"llm\"}");
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void streamCanceledBeforeItsDecisionIsRefunded(boolean overridden) {
        if (overridden) {
            admin.policy("monthly").forKey(user).override(Limit.tokenBucket(5), Duration.ofMinutes(1));
        }

        for (int i = 0; i < 40; i++) {
            assistant.monthlyStream(user + i, "hello").subscribe().with(item -> {
            }).cancel();
        }

        await().atMost(SOON).until(() -> IntStream.range(0, 40)
                .allMatch(i -> monthly.forKey(user + i).peek().remaining() == 10_000));
    }

    @Test
    void streamCanceledDuringItsDelayIsRefundedAtOnce() {
        delayed.forKey(user).charge(10_000);
        AssertSubscriber<String> stream = assistant.delayedStream(user, "hello").subscribe()
                .withSubscriber(AssertSubscriber.create(100));
        await().atMost(SOON).untilAsserted(() -> assertThat(untilFull()).isGreaterThan(Duration.ofDays(100)));

        stream.cancel();
        await().atMost(SOON).untilAsserted(() -> assertThat(untilFull()).isLessThanOrEqualTo(Duration.ofDays(100)));
    }

    @Test
    void callInterruptedDuringItsDelayIsRefundedAtOnce() throws InterruptedException {
        delayed.forKey(user).charge(10_000);
        Thread caller = new Thread(() -> assistant.delayed(user, "hello"));
        caller.setUncaughtExceptionHandler((thread, failure) -> {
        });
        caller.start();
        await().atMost(SOON).untilAsserted(() -> assertThat(untilFull()).isGreaterThan(Duration.ofDays(100)));

        caller.interrupt();
        await().atMost(SOON).untilAsserted(() -> assertThat(untilFull()).isLessThanOrEqualTo(Duration.ofDays(100)));
        caller.join();
    }

    @Test
    void callInterruptedAfterItsResponseReturnsItAndIsSettled() {
        assertThat(assistant.chat(user, "interrupt")).isEqualTo("one two three");

        assertThat(Thread.interrupted()).isTrue();
        await().atMost(SOON).untilAsserted(() -> budget.assertSettled(30, 1));
    }

    @Test
    void callIsSettledWhenRedisIsAvailableAgain() {
        AssertSubscriber<String> stream = hanging();
        try {
            redis.execute("ACL", "SETUSER", "default", "-eval", "-evalsha");
            assertThat(assistant.chat(user, "hello")).isEqualTo("one two three");
            stream.cancel();
        } finally {
            redis.execute("ACL", "SETUSER", "default", "+@all");
        }

        // 1 of the prompt, 9 of the key, and 4 produced; the local decision is not known to Redis
        await().atMost(SOON).untilAsserted(() -> budget.assertLeft(10_000 - 14, 9, 2));
    }

    private AssertSubscriber<String> hanging() {
        AssertSubscriber<String> stream = assistant.stream(user, "hang").subscribe()
                .withSubscriber(AssertSubscriber.create(100));
        return stream.awaitNextItems(2, SOON);
    }

    private Duration untilFull() {
        return delayed.forKey(user).peek().resetAfter();
    }
}
