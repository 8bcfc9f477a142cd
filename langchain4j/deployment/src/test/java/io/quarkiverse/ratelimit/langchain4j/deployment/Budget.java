package io.quarkiverse.ratelimit.langchain4j.deployment;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.QuarkusUnitTest;

/** The budget of a new user of policy {@code llm}: 10000 tokens, 10 requests, and 2 calls at the same time. */
final class Budget {

    static final String MODEL = "quarkus.langchain4j.openai.";
    static final long TOKENS = 10_000;

    private static final String LLM = "quarkus.rate-limit.policies.llm.limits.";

    final String user = UUID.randomUUID().toString();
    private final RateLimiter limiter;
    private final double usedBefore = used();

    Budget(RateLimiter llm) {
        limiter = llm.forKey(user);
    }

    static QuarkusUnitTest application(Class<?>... classes) {
        return new QuarkusUnitTest()
                .withApplicationRoot(jar -> jar.addClasses(ModelServer.class, Budget.class).addClasses(classes))
                .overrideRuntimeConfigKey(MODEL + "base-url", new ModelServer().url())
                .overrideRuntimeConfigKey(MODEL + "api-key", "none")
                .overrideRuntimeConfigKey(MODEL + "max-retries", "1")
                .overrideRuntimeConfigKey(MODEL + "chat-model.max-completion-tokens", "100")
                .overrideRuntimeConfigKey("quarkus.rate-limit.timeout", "10s")
                .overrideRuntimeConfigKey(LLM + "tokens.permits", Long.toString(TOKENS))
                .overrideRuntimeConfigKey(LLM + "tokens.period", "100d")
                .overrideRuntimeConfigKey(LLM + "requests.permits", "10")
                .overrideRuntimeConfigKey(LLM + "requests.period", "100d")
                .overrideRuntimeConfigKey(LLM + "requests.counts", "calls")
                .overrideRuntimeConfigKey(LLM + "calls.algorithm", "concurrency")
                .overrideRuntimeConfigKey(LLM + "calls.permits", "2")
                .overrideRuntimeConfigKey(LLM + "calls.counts", "calls");
    }

    /** What is left after all calls have ended; the metric has counted the same tokens. */
    void assertSettled(long tokens, long requests) {
        assertLeft(TOKENS - tokens, 10 - requests, 2);
        assertThat(used() - usedBefore).as("metric").isEqualTo(tokens);
    }

    void assertLeft(long tokens, long requests, long calls) {
        assertThat(left()).isEqualTo(Map.of("tokens", tokens, "requests", requests, "calls", calls));
    }

    Map<String, Long> left() {
        return limiter.peek().limits().stream().collect(Collectors.toMap(LimitState::limit, LimitState::remaining));
    }

    /** The tokens that the metric has counted. */
    static double used() {
        return given().get("/q/metrics").asString().lines()
                .filter(line -> line.startsWith("rate_limit_tokens_total{kind=\"used\",policy=\"llm\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).sum();
    }
}
