package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkus.test.QuarkusUnitTest;

/** A limit that is smaller than any estimate of a call denies every call, so the first call of a method warns of it. */
class SmallBudgetsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = Budget.application(Configured.class, Unbounded.class)
            .overrideRuntimeConfigKey(Budget.MODEL + "free.base-url", "${quarkus.langchain4j.openai.base-url}")
            .overrideRuntimeConfigKey(Budget.MODEL + "free.api-key", "none")
            .overrideConfigKey("quarkus.langchain4j.free.chat-model.provider", "openai")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.hundred.permits", "100")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.hundred.period", "1h")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.more.permits", "110")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.more.period", "1h")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.everybody.permits", "1000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.everybody.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.everybody.key", "global")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.thousand.permits", "1000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.thousand.period", "1h")
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records).extracting(SmallBudgetsTest::message).satisfiesExactlyInAnyOrder(
                    warning -> assertThat(warning).contains("\"hundred\"", "#chat(", "at least 101 tokens", "capacity of 100."),
                    warning -> assertThat(warning).contains("\"thousand\"", "#chat(", "at least 1001 tokens",
                            "capacity of 1000.")));

    private static String message(LogRecord record) {
        return String.format(record.getMessage(), record.getParameters());
    }

    /** The longest response of its model is configured: 100 tokens. */
    @RegisterAiService
    @ApplicationScoped
    public interface Configured {

        @RateLimited("hundred")
        String chat(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("more")
        String small(@RateLimitKey String user, @UserMessage String question);

        @RateLimited(value = "hundred", cost = 50)
        String estimated(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("more")
        @RateLimited("everybody")
        String divided(@RateLimitKey(policies = "more") String user, @UserMessage String question);

        @RateLimited("hundred")
        String argument(@RateLimitKey String user, @UserMessage String question, @RateLimitCost int tokens);
    }

    /** Its model has no maximum. */
    @RegisterAiService(modelName = "free")
    @ApplicationScoped
    public interface Unbounded {

        @RateLimited("thousand")
        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    @Inject
    Configured configured;

    @Inject
    Unbounded unbounded;

    @Inject
    @RateLimitPolicy("everybody")
    RateLimiter everybody;

    @Test
    void callsBelowTheCapacityAreAllowed() {
        assertThat(configured.small("alice", "hello")).isNotEmpty();
        assertThat(configured.estimated("alice", "hello")).isNotEmpty();
        assertThat(configured.argument("carol", "hello", 50)).isNotEmpty();
    }

    @Test
    void argumentBelongsToTheKeyOfItsPolicyOnly() {
        assertThat(configured.divided("dave", "hello")).isNotEmpty();

        assertThat(everybody.peek().remaining()).isLessThan(1000);
    }

    @Test
    void callsAboveTheCapacityAreNeverAllowed() {
        assertThatThrownBy(() -> configured.chat("bob", "hello")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denied -> assertThat(denied.decision().neverAllowed()).isTrue());
        assertThatThrownBy(() -> unbounded.chat("bob", "hello")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denied -> assertThat(denied.decision().neverAllowed()).isTrue());
    }
}
