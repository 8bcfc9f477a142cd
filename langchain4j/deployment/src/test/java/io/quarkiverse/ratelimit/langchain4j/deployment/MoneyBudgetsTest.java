package io.quarkiverse.ratelimit.langchain4j.deployment;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.logging.Level;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.observability.api.event.AiServiceResponseReceivedEvent;
import dev.langchain4j.service.MemoryId;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.langchain4j.cost.CostEstimator;
import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Clock;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

/**
 * A call of an AI service reserves the price of its estimate, and is settled with the price of its usage. A permit is worth
 * 0.001. A response of a model has 20 tokens of input and 10 of output: 22.5 permits of the small model, 2250 of the large one.
 */
class MoneyBudgetsTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final long ALL = 100_000;

    @RegisterExtension
    static final QuarkusUnitTest APP = withModels(
            Budget.application(Assistant.class, Clerk.class, Expert.class, Foreigner.class, Unpriced.class, Lead.class,
                    Helper.class, Stranger.class, Delegation.class, Own.class, OwnModel.class, Prices.class,
                    Fallback.class, Responses.class),
            "large", "foreign", "unpriced")
            .overrideRuntimeConfigKey("quarkus.langchain4j.openai.chat-model.model-name", "small")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.dollars.permits", Long.toString(ALL))
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.dollars.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-price.dollars", "0.001")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.free.permits", "130")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.free.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.free.overflow", "dollars")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.fractions.permits", "1000000000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.fractions.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-price.fractions", "0.0000000001")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.cents.permits", "14")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.cents.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-price.cents", "0.01")
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records)
                    .extracting(record -> String.format(record.getMessage(), record.getParameters()))
                    .satisfiesExactlyInAnyOrder(
                            warning -> assertThat(warning).startsWith("Model \"small\" responded as \"renamed\": bean dev.")
                                    .endsWith("Its tokens have the price of \"small\"."),
                            warning -> assertThat(warning).contains("\"cents\"", "#tight(", "at least 15 permits",
                                    "capacity of 14."),
                            warning -> assertThat(warning).contains("\"fractions\"", "at least 1454000000 permits")));

    private static QuarkusUnitTest withModels(QuarkusUnitTest app, String... names) {
        for (String name : names) {
            Budget.withModel(app, name, 100).overrideRuntimeConfigKey(Budget.MODEL + name + ".chat-model.model-name", name);
        }
        return app;
    }

    /** Prices the small model at 0.0004 and 0.00145 a token, others at a hundred times as much. */
    @ApplicationScoped
    @Priority(10)
    public static class Prices implements CostEstimator {

        @Override
        public boolean supports(SupportsContext model) {
            return List.of("small", "large", "foreign").contains(model.model());
        }

        @Override
        public CostResult estimate(CostContext tokens) {
            if (tokens.inputTokens() >= 50_000) {
                throw new IllegalArgumentException("No price of so many tokens");
            }
            int factor = tokens.model().equals("small") ? 1 : 100;
            return new CostResult(new BigDecimal("0.0004").multiply(BigDecimal.valueOf(tokens.inputTokens() * factor)),
                    new BigDecimal("0.00145").multiply(BigDecimal.valueOf(tokens.outputTokens() * factor)),
                    tokens.model().equals("foreign") ? "EUR" : "USD");
        }
    }

    /** Supports the small model, too, but comes later. */
    @ApplicationScoped
    @Priority(1)
    public static class Fallback implements CostEstimator {

        @Override
        public boolean supports(SupportsContext model) {
            return model.model().equals("small");
        }

        @Override
        public CostResult estimate(CostContext tokens) {
            return new CostResult(BigDecimal.TEN, BigDecimal.TEN, "USD");
        }
    }

    @RegisterAiService
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Assistant {

        String chat(@RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@RateLimitKey String user, @UserMessage String question);

        String estimated(@RateLimitKey String user, @UserMessage String question, @RateLimitCost int permits);

        @RateLimited("dollars")
        @RateLimited("llm")
        String both(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("dollars")
        @RateLimited("llm")
        Multi<String> bothStream(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("free")
        String freeFirst(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("fractions")
        String fractions(@RateLimitKey String user, @UserMessage String question);

        @RateLimited("cents")
        String tight(@RateLimitKey String user, @UserMessage String question);
    }

    /** Uses tools, so one call needs two calls of the model. */
    @RegisterAiService(tools = Clock.class)
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Clerk {

        String chat(@MemoryId @RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@MemoryId @RateLimitKey String user, @UserMessage String question);
    }

    @RegisterAiService(modelName = "large")
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Expert {

        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    /** The price of its model is in another currency. */
    @RegisterAiService(modelName = "foreign")
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Foreigner {

        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    @RegisterAiService(modelName = "unpriced")
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Unpriced {

        String chat(@RateLimitKey String user, @UserMessage String question);

        Multi<String> stream(@RateLimitKey String user, @UserMessage String question);
    }

    /** Its tool calls one of two services that are not limited. */
    @RegisterAiService(tools = Delegation.class)
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Lead {

        String chat(@MemoryId @RateLimitKey String user, @UserMessage String question);
    }

    @RegisterAiService(modelName = "large")
    @ApplicationScoped
    public interface Helper {

        String chat(@UserMessage String question);
    }

    @RegisterAiService(modelName = "unpriced")
    @ApplicationScoped
    public interface Stranger {

        String chat(@UserMessage String question);
    }

    @ApplicationScoped
    public static class Delegation {

        static volatile BiFunction<Helper, Stranger, String> delegate;

        @Inject
        Helper helper;

        @Inject
        Stranger stranger;

        @Tool
        public String time() {
            return delegate.apply(helper, stranger);
        }
    }

    /** Its model is no bean. */
    @RegisterAiService(chatLanguageModelSupplier = OwnModel.class)
    @ApplicationScoped
    @RateLimited("dollars")
    public interface Own {

        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    public static class OwnModel implements ChatModel, Supplier<ChatModel> {

        @Override
        public ChatModel get() {
            return this;
        }
    }

    /** Counts the responses of models. */
    @Singleton
    public static class Responses {

        volatile int count;

        void received(@Observes AiServiceResponseReceivedEvent event) {
            count++;
        }
    }

    @Inject
    Assistant assistant;

    @Inject
    Clerk clerk;

    @Inject
    Expert expert;

    @Inject
    Foreigner foreigner;

    @Inject
    Unpriced unpriced;

    @Inject
    Lead lead;

    @Inject
    Own own;

    @Inject
    Responses responses;

    @Inject
    @RateLimitPolicy("dollars")
    RateLimiter dollars;

    @Inject
    @RateLimitPolicy("llm")
    RateLimiter limiter;

    @Inject
    @RateLimitPolicy("fractions")
    RateLimiter fractions;

    @Inject
    @RateLimitPolicy("free")
    RateLimiter free;

    private Budget budget;
    private String user;

    @BeforeEach
    void useANewKey() {
        budget = new Budget(limiter);
        user = budget.user;
    }

    @Test
    void callIsSettledWithThePriceOfItsUsage() {
        assertThat(assistant.chat(user, "hello")).isEqualTo("one two three");
        assertSpent(23);

        assistant.stream(user, "hello").collect().asList().await().atMost(SOON);
        assertSpent(46);
    }

    @Test
    void priceOfTheEstimateIsReservedWhileTheModelRuns() {
        AssertSubscriber<String> stream = hanging();

        // 1 token of the prompt and 9 of the key, and at most 100 of the response: 4 and 145
        assertSpent(149);

        stream.cancel();
        // the prompt and 4 tokens produced: 4 and 5.8
        await().atMost(SOON).untilAsserted(() -> assertSpent(10));
    }

    @Test
    void pricesOfAllModelCallsAreAddedAndRoundedUpOnce() {
        clerk.chat(user, "tool");
        assertSpent(45);

        clerk.stream(user, "tool").collect().asList().await().atMost(SOON);
        assertSpent(90);
    }

    @Test
    void eachModelHasItsOwnPrice() {
        expert.chat(user, "hello");
        assertSpent(2250);

        Delegation.delegate = (helper, stranger) -> helper.chat("hello");
        lead.chat(user, "tool");
        assertSpent(2250 + 2250 + 45);
    }

    @Test
    void tokensAreCountedBesideTheirPrice() {
        assistant.both(user, "hello");
        assertSpent(23);
        budget.assertSettled(30, 1);

        assistant.bothStream(user, "hello").collect().asList().await().atMost(SOON);
        assertSpent(46);
        budget.assertSettled(60, 2);
        assertThat(given().get("/q/metrics").asString()).contains("rate_limit_tokens_total{").doesNotContain(
                "rate_limit_tokens_total{kind=\"used\",policy=\"dollars\"}");
    }

    @Test
    void overflowOfFreeTokensCountsMoney() {
        assistant.freeFirst(user, "hello");
        assertSpent(0);
        assertThat(free.forKey(user).peek().remaining()).isEqualTo(100);

        // an estimate has 2 tokens of the prompt, 9 of the key, and 100 of the response
        assistant.freeFirst(user, "hello");
        assertSpent(23);
        assertThat(free.forKey(user).peek().remaining()).isEqualTo(100);
    }

    @Test
    void costArgumentIsInPermits() {
        assertThatThrownBy(() -> assistant.estimated(user, "hello", (int) ALL + 1))
                .isInstanceOf(RateLimitExceededException.class);

        assistant.estimated(user, "hello", (int) ALL);
        assertSpent(23);
    }

    @Test
    void estimateAbove1000000000PermitsIsDenied() {
        assertThatThrownBy(() -> assistant.fractions(user, "hello")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denied -> assertThat(denied.decision().denialReason()).contains(DenialReason.COST_ABOVE_CAPACITY));

        assertThat(fractions.forKey(user).peek().remaining()).isEqualTo(1_000_000_000);
    }

    @Test
    void estimateThatIsNeverAllowedIsLogged() {
        assertThatThrownBy(() -> assistant.tight(user, "hello")).isInstanceOfSatisfying(RateLimitExceededException.class,
                denied -> assertThat(denied.decision().neverAllowed()).isTrue());
    }

    @Test
    void usageThatIsNotReportedIsPricedByTheEstimate() {
        assistant.stream(user, "silent").collect().asList().await().atMost(SOON);
        // 2 tokens of the prompt, 9 of the key, and 4 of the response: 4.4 and 5.8
        assertSpent(11);

        assistant.chat(user, "silent");
        assertSpent(22);
    }

    @Test
    void failedCallCostsNothing() {
        assertThatThrownBy(() -> assistant.chat(user, "fail")).isNotInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> assistant.stream(user, "fail").collect().asList().await().atMost(SOON))
                .isNotInstanceOf(IllegalStateException.class);

        assertSpent(0);
    }

    @Test
    void responseByAnotherModelHasThePriceOfTheRequestedOne() {
        assistant.chat(user, "renamed");
        assistant.stream(user, "renamed").collect().asList().await().atMost(SOON);

        assertSpent(46);
    }

    @Test
    void callFailsBeforeAModelWithoutAPriceIsCalled() {
        int before = responses.count;

        assertThatThrownBy(() -> unpriced.chat(user, "hello")).isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("No CostEstimator supports the model \"unpriced\": bean dev\\..*OpenAiChatModel, used by"
                        + " .*Unpriced#chat\\(.*\\)\\. There are: .*Prices, .*Fallback, .*\\. Add a bean that supports it, or remove"
                        + " quarkus\\.rate-limit\\.langchain4j\\.permit-price\\.dollars\\.");
        assertThatThrownBy(() -> unpriced.stream(user, "hello")).hasMessageContaining("OpenAiStreamingChatModel, used by");
        assertThatThrownBy(() -> own.chat(user, "hello")).isInstanceOf(IllegalStateException.class).hasMessageMatching(
                "The name of a model is unknown, so its calls have no price: that of .*OwnModel, used by .*Own#chat.*");
        assertThat(responses.count).isEqualTo(before);
        assertSpent(0);
    }

    @Test
    void callFailsBeforeItsToolCallsAModelWithoutAPrice() {
        int before = responses.count;
        Delegation.delegate = (helper, stranger) -> stranger.chat("hello");

        assertThatThrownBy(() -> lead.chat(user, "tool")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the model \"unpriced\": called during ").hasMessageContaining("Lead#chat(");
        assertThat(responses.count).isEqualTo(before + 1);
        assertSpent(0);
    }

    @Test
    void estimatorThatFailsCancelsTheReservation() {
        assertThatThrownBy(() -> assistant.both(user, "huge")).isInstanceOf(IllegalStateException.class)
                .hasMessageMatching(".*Prices failed to estimate the price of the model \"small\": bean dev.*")
                .hasRootCauseMessage("No price of so many tokens");
        assertSpent(0);
        // the usage is known, only its price is not
        budget.assertLeft(0, 9, 2);

        assertThatThrownBy(() -> assistant.stream(user, "huge").collect().asList().await().atMost(SOON))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("failed to estimate the price");
        assertSpent(0);
    }

    @Test
    void estimatorThatFailsBeforeTheCallReservesNothing() {
        int before = responses.count;

        assertThatThrownBy(() -> assistant.chat(user, "many words ".repeat(20_000))).isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("No price of so many tokens");
        assertThatThrownBy(() -> assistant.stream(user, "many words ".repeat(20_000)).collect().asList().await().atMost(SOON))
                .hasRootCauseMessage("No price of so many tokens");
        assertThat(responses.count).isEqualTo(before);
        assertSpent(0);
    }

    @Test
    void pricesInAnotherCurrencyFailTheCall() {
        assistant.chat(user, "hello");

        assertThatThrownBy(() -> foreigner.chat(user, "hello")).isInstanceOf(IllegalStateException.class).hasMessageMatching(
                ".*Prices estimates the price of the model \"foreign\" in EUR, but policy \"dollars\" counts USD: bean dev.*");
        assertSpent(23);
    }

    private AssertSubscriber<String> hanging() {
        AssertSubscriber<String> stream = assistant.stream(user, "hang").subscribe()
                .withSubscriber(AssertSubscriber.create(100));
        return stream.awaitNextItems(2, SOON);
    }

    private void assertSpent(long permits) {
        assertThat(ALL - dollars.forKey(user).peek().remaining()).isEqualTo(permits);
    }
}
