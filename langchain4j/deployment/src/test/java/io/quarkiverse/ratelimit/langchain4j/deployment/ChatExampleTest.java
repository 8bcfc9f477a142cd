package io.quarkiverse.ratelimit.langchain4j.deployment;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.matchesPattern;

import java.io.File;
import java.time.Duration;

import jakarta.inject.Inject;

import org.acme.llm.Advisor;
import org.acme.llm.Assistant;
import org.acme.llm.ChatResource;
import org.acme.llm.Prices;
import org.acme.llm.Reporter;
import org.jboss.shrinkwrap.api.asset.FileAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.ModelServer;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;

/** The example of the documentation works as the page says. */
class ChatExampleTest {

    private static final File PROPERTIES = new File("../../docs/modules/ROOT/examples/llm/application.properties");
    private static final Duration SOON = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar
                    .addClasses(ModelServer.class, Assistant.class, Reporter.class, Advisor.class, Prices.class,
                            ChatResource.class)
                    .addAsResource(new FileAsset(PROPERTIES), "application.properties"))
            .overrideRuntimeConfigKey("quarkus.langchain4j.openai.base-url", new ModelServer().url())
            .overrideRuntimeConfigKey("quarkus.rate-limit.timeout", "10s");

    @Inject
    Reporter reporter;

    @Inject
    @RateLimitPolicy("reports")
    RateLimiter reports;

    @Test
    void headersShowTheStateAfterTheSettlement() {
        Response chat = user("alice").post("/chat");

        assertThat(chat.header("RateLimit-Policy")).isEqualTo("\"llm.calls\";q=2;qu=\"concurrent-requests\","
                + " \"llm.requests\";q=10;w=60, \"llm.tokens\";q=10000;w=3600");
        assertThat(chat.header("RateLimit"))
                .matches("\"llm.calls\";r=2, \"llm.requests\";r=9;t=\\d, \"llm.tokens\";r=99[78]\\d;t=1");
    }

    @Test
    void headersOfAStreamShowTheReservation() {
        Response stream = user("bob").post("/chat/stream");

        assertThat(stream.asString()).isEqualTo("one two three");
        // 7 tokens of the template, 2 of the question, and at most 500 of the response
        assertThat(stream.header("RateLimit")).contains("\"llm.calls\";r=1", "\"llm.tokens\";r=949");
        await().atMost(SOON)
                .untilAsserted(() -> user("bob").post("/chat/left").then().body(matchesPattern("99[789]\\d|10000")));
    }

    @Test
    void eleventhCallOfAMinuteIsDenied() {
        for (int call = 1; call <= 10; call++) {
            user("carol").post("/chat").then().statusCode(200);
        }

        Response denied = user("carol").post("/chat");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.jsonPath().getList("violated-policies", String.class)).containsExactly("llm.requests");
    }

    @Test
    void eachCustomerHasABudgetOutsideOfARequest() {
        reporter.report("dora", "1, 2, 3");

        assertThat(reports.forKey("dora").peek().remaining()).isEqualTo(10_000 - 30);
        assertThat(reports.forKey("erna").peek().remaining()).isEqualTo(10_000);
    }

    @Test
    void eachUserHas20DollarsADayBesideTheTokens() {
        String left = user("frank").post("/chat/advice").header("RateLimit");

        // 20 tokens of input for 0.000008 dollars, 10 of output for 0.000016
        assertThat(left).contains("\"llm.tokens\";r=9970", "\"dollars\";r=19999976;t=");
    }

    private static RequestSpecification user(String user) {
        return given().header("X-User", user).contentType("text/plain").body("hello");
    }
}
