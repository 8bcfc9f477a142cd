package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.ModelName;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.langchain4j.cost.CostEstimator;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.Budget;
import io.quarkiverse.ratelimit.langchain4j.deployment.fixtures.FixedModel;
import io.quarkus.test.QuarkusUnitTest;

/** A model that is a bean of the application has no listeners, and has a price only if it has a name. */
class OwnModelsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Assistant.class, Nameless.class, Model.class, NamelessModel.class,
                    FixedModel.class,
                    Prices.class))
            .overrideRuntimeConfigKey(Budget.MODEL + "api-key", "none")
            .overrideRuntimeConfigKey(Budget.MODEL + "nameless.api-key", "none")
            .overrideRuntimeConfigKey("quarkus.rate-limit.timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.money.permits", "5000")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.money.period", "100d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-price.money", "1");

    /** Prices a token at 2. */
    @ApplicationScoped
    public static class Prices implements CostEstimator {

        @Override
        public boolean supports(SupportsContext model) {
            return model.model().equals("own");
        }

        @Override
        public CostResult estimate(CostContext tokens) {
            return new CostResult(BigDecimal.valueOf(2L * tokens.inputTokens()), BigDecimal.valueOf(2L * tokens.outputTokens()),
                    "EUR");
        }
    }

    @ApplicationScoped
    public static class Model extends FixedModel {

        @Override
        public ChatRequestParameters defaultRequestParameters() {
            return ChatRequestParameters.builder().modelName("own").maxOutputTokens(100).build();
        }
    }

    @ApplicationScoped
    @ModelName("nameless")
    public static class NamelessModel implements ChatModel {

        @Override
        public ChatResponse doChat(ChatRequest request) {
            throw new AssertionError("called");
        }
    }

    @RegisterAiService
    @ApplicationScoped
    @RateLimited("money")
    public interface Assistant {

        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    @RegisterAiService(modelName = "nameless")
    @ApplicationScoped
    @RateLimited("money")
    public interface Nameless {

        String chat(@RateLimitKey String user, @UserMessage String question);
    }

    @Inject
    Assistant assistant;

    @Inject
    Nameless nameless;

    @Inject
    @RateLimitPolicy("money")
    RateLimiter money;

    @Test
    void usageHasThePriceOfTheModel() {
        assertThat(assistant.chat("alice", "hello")).isEqualTo("one");

        assertThat(money.forKey("alice").peek().remaining()).isEqualTo(5000 - 60);
    }

    @Test
    void callFailsBeforeAModelWithoutANameIsCalled() {
        assertThatThrownBy(() -> nameless.chat("bob", "hello")).isInstanceOf(IllegalStateException.class)
                .hasMessageMatching("The name of a model is unknown, so its calls have no price: bean .*NamelessModel,"
                        + " used by .*Nameless#chat\\(.*\\)\\. Let the model be a bean whose defaultRequestParameters\\(\\)"
                        + " have a modelName, or remove quarkus\\.rate-limit\\.langchain4j\\.permit-price\\.money\\.");

        assertThat(money.forKey("bob").peek().remaining()).isEqualTo(5000);
    }
}
