package io.quarkiverse.ratelimit.langchain4j.deployment;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkus.test.QuarkusUnitTest;

/** An application without metrics of the limiter has none of tokens either. */
class WithoutMetricsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Budget.application(Assistant.class)
            .overrideConfigKey("quarkus.rate-limit.metrics.enabled", "false");

    @RegisterAiService
    @ApplicationScoped
    @RateLimited("llm")
    public interface Assistant {

        String chat(@RateLimitKey String question);
    }

    @Inject
    Assistant assistant;

    @Test
    void tokensAreNotCounted() {
        assertThat(assistant.chat("hello")).isNotEmpty();

        assertThat(given().get("/q/metrics").asString()).contains("jvm_").doesNotContain("rate_limit_");
    }
}
