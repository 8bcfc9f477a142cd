package io.quarkiverse.ratelimit.langchain4j.deployment;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.data.image.Image;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.observability.api.event.AiServiceStartedEvent;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.Moderate;
import dev.langchain4j.service.ModerationException;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Clock;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.FixedModel;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.ModelServer;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

/**
 * Budgets stay right when models report odd figures, fail, are tried again, or never respond. A model that answers 429 with
 * Retry-After is not called until then.
 */
class UnreliableModelTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = Budget.withModel(Budget
            .application(Assistant.class, Clerk.class, Patient.class, Impatient.class, Lead.class,
                    Helper.class, Delegation.class, Own.class, OwnModel.class, FixedModel.class, Started.class,
                    ChatResource.class, Forecaster.class, Weather.class, Forecasts.class, Forecast.class),
            "patient", 50)
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.llm.obey-retry-after", "10m")
            .overrideRuntimeConfigKey("quarkus.rest-client.forecasts.url", "http://localhost:${quarkus.http.test-port}")
            .overrideRuntimeConfigKey(Budget.MODEL + "patient.max-retries", "2")
            .overrideRuntimeConfigKey(Budget.MODEL + "impatient.base-url", "${quarkus.langchain4j.openai.base-url}")
            .overrideRuntimeConfigKey(Budget.MODEL + "impatient.api-key", "none")
            .overrideRuntimeConfigKey(Budget.MODEL + "impatient.timeout", "1s")
            .overrideRuntimeConfigKey(Budget.MODEL + "impatient.max-retries", "2");

    @RegisterAiService
    @ApplicationScoped
    @RateLimited("llm")
    public interface Assistant {

        String chat(@RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@RateLimitKey String user, @UserMessage String question);

        @Moderate
        String moderated(@RateLimitKey String user, @UserMessage String question);

        Image draw(@RateLimitKey String user, @UserMessage String subject);
    }

    @RegisterAiService(tools = Clock.class)
    @ApplicationScoped
    @RateLimited("llm")
    public interface Clerk {

        String chat(@MemoryId @RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@MemoryId @RateLimitKey String user, @UserMessage String question);
    }

    /** Its model is tried again. */
    @RegisterAiService(modelName = "patient")
    @ApplicationScoped
    @RateLimited("llm")
    public interface Patient {

        String chat(@RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@RateLimitKey String user, @UserMessage String question);
    }

    /** Its model times out, and is tried again. */
    @RegisterAiService(modelName = "impatient")
    @ApplicationScoped
    @RateLimited("llm")
    public interface Impatient {

        String chat(@RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@RateLimitKey String user, @UserMessage String question);
    }

    /** Its tool calls two other services, one of which is limited. */
    @RegisterAiService(tools = Delegation.class)
    @ApplicationScoped
    @RateLimited("llm")
    public interface Lead {

        String chat(@MemoryId @RateLimitKey String user, @UserMessage String question);
    }

    @RegisterAiService
    @ApplicationScoped
    public interface Helper {

        String chat(@UserMessage String question);
    }

    @ApplicationScoped
    public static class Delegation {

        static volatile String user;

        @Inject
        Assistant assistant;

        @Inject
        Helper helper;

        @Tool
        public String time() {
            return assistant.chat(user, "hello") + helper.chat("hello");
        }
    }

    /** Remembers the users whose calls have begun. */
    @Singleton
    public static class Started {

        final Set<Object> users = ConcurrentHashMap.newKeySet();

        void started(@Observes @Priority(Interceptor.Priority.PLATFORM_AFTER) AiServiceStartedEvent event) {
            users.add(event.invocationContext().methodArguments().get(0));
        }
    }

    /** Its model is no bean, and has no listeners. */
    @RegisterAiService(chatLanguageModelSupplier = OwnModel.class)
    @ApplicationScoped
    @RateLimited("llm")
    public interface Own {

        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    public static class OwnModel extends FixedModel implements Supplier<ChatModel> {

        @Override
        public ChatModel get() {
            return this;
        }
    }

    @RegisterAiService(tools = Weather.class)
    @ApplicationScoped
    @RateLimited("llm")
    public interface Forecaster {

        String chat(@MemoryId @RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@MemoryId @RateLimitKey String user, @UserMessage String question);
    }

    /** Its service is busy, too, but is no model. */
    @ApplicationScoped
    public static class Weather {

        @Inject
        @RestClient
        Forecasts forecasts;

        @Tool
        public String time() {
            try {
                return forecasts.today();
            } catch (WebApplicationException busy) {
                return "unknown";
            }
        }
    }

    @Path("/forecast")
    @RegisterRestClient(configKey = "forecasts")
    public interface Forecasts {

        @GET
        String today();
    }

    @Path("/forecast")
    public static class Forecast {

        @GET
        public Response today() {
            return Response.status(429).header("Retry-After", "600").build();
        }
    }

    @Path("/chat")
    public static class ChatResource {

        @Inject
        Assistant assistant;

        @GET
        @Path("{user}/on-event-loop")
        public Uni<String> onEventLoop(@PathParam("user") String user) {
            return Uni.createFrom().item(() -> assistant.chat(user, "hello"));
        }
    }

    @Inject
    Assistant assistant;

    @Inject
    Clerk clerk;

    @Inject
    Forecaster forecaster;

    @Inject
    Patient patient;

    @Inject
    Impatient impatient;

    @Inject
    Lead lead;

    @Inject
    Own own;

    @Inject
    Started started;

    @Inject
    @RateLimitPolicy("llm")
    RateLimiter limiter;

    private Budget budget;
    private String user;

    @BeforeEach
    void useANewKey() {
        budget = new Budget(limiter);
        user = budget.user;
    }

    /** An estimate has 1 token of the prompt, 9 of the key, and 4 of the response. */
    @ParameterizedTest
    @CsvSource({ "zero, 14", "parts, 30" })
    void zerosAreEstimatedAndPartsAreAdded(String question, long tokens) {
        assistant.chat(user, question);
        budget.assertSettled(tokens, 1);

        assistant.stream(user, question).collect().asList().await().atMost(SOON);
        budget.assertSettled(2 * tokens, 2);
    }

    @Test
    void usageBeyondTheLimitIsChargedAndDeniesTheNextCalls() {
        assistant.chat(user, "huge");

        assertThat(limiter.forKey(user).peek().resetAfter()).isBetween(Duration.ofDays(499), Duration.ofDays(501));
        assertThatThrownBy(() -> assistant.chat(user, "hello")).isInstanceOf(RateLimitExceededException.class);
        budget.assertLeft(0, 9, 2);
    }

    @Test
    void usageBeyondAllLimitsIsCharged() {
        assistant.stream(user, "enormous").collect().asList().await().atMost(SOON);

        assertThatThrownBy(() -> assistant.chat(user, "hello")).isInstanceOf(RateLimitExceededException.class);
        budget.assertLeft(0, 9, 2);
    }

    @Test
    void modelThatFailsAfterAToolCountsWhatItReportedBefore() {
        assertThatThrownBy(() -> clerk.chat(user, "late")).isNotInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(30, 1);

        assertThatThrownBy(() -> clerk.stream(user, "late").collect().asList().await().atMost(SOON))
                .isNotInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(60, 2);
    }

    @Test
    void limitedServiceThatAToolCallsCountsItsOwnTokens() {
        Delegation.user = user;
        assertThat(lead.chat(user, "tool")).isEqualTo("one two three");

        // two calls of the model for the lead, one for the helper, and one for the assistant
        budget.assertSettled(4 * 30, 2);
    }

    @Test
    void memoryIdIsAKey() {
        clerk.chat(user, "hello");
        clerk.chat(user, "hello again");

        budget.assertSettled(60, 2);
    }

    @Test
    void callThatTheModelRefusedCountsItsTokens() {
        assertThatThrownBy(() -> assistant.moderated(user, "rude")).isInstanceOf(ModerationException.class);
        budget.assertSettled(30, 1);

        assistant.moderated(user, "hello");
        budget.assertSettled(60, 2);
    }

    @Test
    void imageIsARequestWithoutTokens() {
        assertThat(assistant.draw(user, "a cat").url()).hasToString("http://localhost/picture");

        budget.assertSettled(0, 1);
    }

    @Test
    void usageOfAModelWithoutListenersIsCounted() {
        own.chat(user, "hello");

        budget.assertSettled(30, 1);
    }

    @Test
    void retriesOfTheModelAreOneCall() {
        assertThat(patient.chat(user, "flaky " + user)).isEqualTo("one two three");

        budget.assertSettled(30, 1);
    }

    @Test
    void estimateIsThatOfTheNamedModel() {
        AssertSubscriber<String> stream = patient.stream(user, "hang").subscribe().withSubscriber(AssertSubscriber.create(2));
        stream.awaitItems(2, SOON);

        // 1 of the prompt, 9 of the key, and at most 50 of the response
        budget.assertLeft(Budget.TOKENS - 60, 9, 1);
        stream.cancel();
    }

    @Test
    void callThatTimesOutIsARequestWithoutTokens() {
        assertThatThrownBy(() -> impatient.chat(user, "mute")).isNotInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(0, 1);

        assertThatThrownBy(() -> impatient.stream(user, "mute").collect().asList().await().atMost(SOON))
                .isNotInstanceOf(RateLimitExceededException.class);
        budget.assertSettled(0, 2);
    }

    @Test
    void streamCanceledBeforeItsFirstTokenCountsItsPrompt() {
        AssertSubscriber<String> stream = assistant.stream(user, "mute").subscribe()
                .withSubscriber(AssertSubscriber.create(1));
        await().atMost(SOON).until(() -> started.users.contains(user));
        budget.assertLeft(Budget.TOKENS - 110, 9, 1);

        stream.cancel();
        await().atMost(SOON).untilAsserted(() -> budget.assertSettled(10, 1));
    }

    @Test
    void callOnAnEventLoopFailsAndIsNotCharged() {
        given().get("/chat/" + user + "/on-event-loop").then().statusCode(500);

        budget.assertSettled(0, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = { ModelServer.BUSY, ModelServer.BUSY_LATER })
    void answerOfTheModelPausesTheKey(String question) {
        assertThatThrownBy(() -> forecaster.chat(user, question)).isNotInstanceOf(RateLimitExceededException.class);

        assertPaused();
    }

    @ParameterizedTest
    @ValueSource(strings = { ModelServer.BUSY, ModelServer.BUSY_LATER })
    void answerToAStreamPausesTheKey(String question) {
        assertThatThrownBy(() -> forecaster.stream(user, question).collect().asList().await().atMost(SOON))
                .isNotInstanceOf(RateLimitExceededException.class);

        assertPaused();
    }

    @Test
    void answerToAToolDoesNotPause() {
        forecaster.chat(user, ModelServer.TOOL);
        forecaster.stream(user, ModelServer.TOOL).collect().asList().await().atMost(SOON);

        assertThat(forecaster.chat(user, "hello")).isEqualTo("one two three");
    }

    private void assertPaused() {
        assertThatThrownBy(() -> forecaster.chat(user, "hello")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED));
        assertThat(forecaster.chat(user + "other", "hello")).isEqualTo("one two three");
    }
}
