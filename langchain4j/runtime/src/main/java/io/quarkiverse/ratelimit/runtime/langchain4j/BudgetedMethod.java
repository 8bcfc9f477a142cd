package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls.Rules;
import io.quarkiverse.ratelimit.runtime.langchain4j.AiServiceRecorder.AiServiceMethod;
import io.quarkiverse.ratelimit.runtime.langchain4j.TokenPrices.ModelCall;

/**
 * A limited method of an AI service. Estimates its calls.
 *
 * @param modelName name that its model has for the provider; {@code null} if it is unknown
 * @param modelPlace where its model comes from, for messages
 * @param outputTokens most tokens of a response
 * @param moneyPolicies those of its policies that count money
 */
record BudgetedMethod(Rules rules, AiServiceMethod method, String modelName, String modelPlace, long outputTokens,
        List<String> moneyPolicies, TokenPrices prices) {

    /** Denied by every limit, because none has so many permits. */
    private static final long MOST = Limit.MAX_PERMITS + 1;

    boolean isOf(String service) {
        return method.id().startsWith(service + '#');
    }

    long promptTokens(Object[] arguments) {
        return method.templateTokens() + TokenEstimate.of(arguments);
    }

    /** Returns the rules with the cost of a call. */
    Rules rules(Object[] arguments, long promptTokens) {
        ToLongFunction<String> costs = estimate(promptTokens);
        return rules.costing(arguments, policy -> Math.max(1, Math.min(costs.applyAsLong(policy), MOST)));
    }

    /** Returns the costs of a call with the longest response, by policy. */
    ToLongFunction<String> estimate(long promptTokens) {
        return costs(promptTokens + outputTokens, price(modelName, promptTokens, outputTokens));
    }

    /** Returns the costs of these tokens with this price, by policy. */
    ToLongFunction<String> costs(long tokens, BigDecimal price) {
        return policy -> prices.cost(policy, tokens, price);
    }

    /**
     * Returns the price of a model call, or 0 if it does not matter.
     *
     * @throws IllegalStateException if it is unknown
     */
    BigDecimal price(String model, long inputTokens, long outputTokens) {
        return moneyPolicies.isEmpty() ? BigDecimal.ZERO : prices.price(call(model), inputTokens, outputTokens);
    }

    void warnOfOtherModel(String requested, String responded) {
        if (!moneyPolicies.isEmpty()) {
            prices.warnOfOtherModel(call(requested), responded);
        }
    }

    /** Returns a call of the model of this method, or of that of another AI service which a tool called. */
    private ModelCall call(String model) {
        return new ModelCall(model, Objects.equals(model, modelName) ? modelPlace : "called during " + method.id(),
                moneyPolicies);
    }
}
