package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.ModelServer;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Multi;

/** A model that answers 429 with Retry-After is not called until then. */
class BusyModelTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = Budget.application(Clerk.class, Weather.class, Forecasts.class, Forecast.class)
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.llm.obey-retry-after", "10m")
            .overrideRuntimeConfigKey("quarkus.rest-client.forecasts.url", "http://localhost:${quarkus.http.test-port}");

    @RegisterAiService(tools = Weather.class)
    @ApplicationScoped
    @RateLimited("llm")
    public interface Clerk {

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

    @TestHTTPResource
    URI application;

    @Inject
    Clerk clerk;

    private String user;

    @BeforeEach
    void anotherUser() {
        user = UUID.randomUUID().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = { ModelServer.BUSY, ModelServer.BUSY_LATER })
    void answerOfTheModelPausesTheKey(String question) {
        assertThatThrownBy(() -> clerk.chat(user, question)).isNotInstanceOf(RateLimitExceededException.class);

        assertPaused();
    }

    @ParameterizedTest
    @ValueSource(strings = { ModelServer.BUSY, ModelServer.BUSY_LATER })
    void answerToAStreamPausesTheKey(String question) {
        assertThatThrownBy(() -> clerk.stream(user, question).collect().asList().await().atMost(SOON))
                .isNotInstanceOf(RateLimitExceededException.class);

        assertPaused();
    }

    @Test
    void answerToAToolDoesNotPause() {
        clerk.chat(user, ModelServer.TOOL);
        clerk.stream(user, ModelServer.TOOL).collect().asList().await().atMost(SOON);

        assertThat(clerk.chat(user, "hello")).isEqualTo("one two three");
    }

    private void assertPaused() {
        assertThatThrownBy(() -> clerk.chat(user, "hello")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED));
        assertThat(clerk.chat(user + "other", "hello")).isEqualTo("one two three");
    }
}
