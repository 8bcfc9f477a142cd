package io.quarkiverse.ratelimit.runtime.langchain4j;

import static java.math.RoundingMode.CEILING;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.langchain4j.cost.CostEstimator;
import io.quarkiverse.langchain4j.cost.CostEstimator.CostContext;
import io.quarkiverse.langchain4j.cost.CostEstimator.CostResult;
import io.quarkiverse.ratelimit.Limit;
import io.quarkus.arc.All;
import io.quarkus.arc.ClientProxy;

/**
 * Prices tokens by the {@link CostEstimator} beans of the application, which are experimental: no other class imports them.
 * Converts prices to permits.
 */
@Singleton
public class TokenPrices {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final BigDecimal MOST_PERMITS = BigDecimal.valueOf(2 * Limit.MAX_PERMITS);
    private static final int MOST_WARNINGS = 100;

    /** Prices of permits, by policy. */
    private final Map<String, BigDecimal> permits;
    private final List<CostEstimator> estimators;
    private final Map<String, String> currencies = new ConcurrentHashMap<>();
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    /** @param estimators by priority */
    TokenPrices(MoneyConfig config, @All List<CostEstimator> estimators) {
        this.permits = config.permitPrice();
        this.estimators = estimators;
    }

    /**
     * A call of a model that costs money.
     *
     * @param model name; {@code null} if it is unknown
     * @param place the bean of the model, and what uses it, for messages
     * @param policies which count the price
     */
    record ModelCall(String model, String place, List<String> policies) {
    }

    private record Tokens(String model, Integer inputTokens, Integer outputTokens) implements CostContext {
    }

    /** Returns whether the policy counts money in place of tokens. */
    boolean arePermitsOf(String policy) {
        return permits.containsKey(policy);
    }

    /**
     * Returns the cost of a call for a policy: its tokens, or its price in whole permits, rounded up.
     *
     * @param price at least 0
     */
    long cost(String policy, long tokens, BigDecimal price) {
        BigDecimal permit = permits.get(policy);
        return permit == null ? tokens : price.divide(permit, 0, CEILING).min(MOST_PERMITS).longValue();
    }

    /**
     * Returns the price of tokens, by the first estimator that supports the model.
     *
     * @throws IllegalStateException if the model has no price, or one in another currency than others of the policy
     */
    BigDecimal price(ModelCall call, long inputTokens, long outputTokens) {
        if (call.model() == null) {
            throw new IllegalStateException("The name of a model is unknown, so its calls have no price: " + call.place()
                    + ". Let the model be a bean whose defaultRequestParameters() have a modelName, or remove "
                    + property(call) + '.');
        }
        Tokens tokens = new Tokens(call.model(), count(inputTokens), count(outputTokens));
        for (CostEstimator estimator : estimators) {
            CostResult result = estimate(estimator, tokens, call);
            if (result != null) {
                call.policies().forEach(policy -> requireOneCurrency(policy, result.currency(), estimator, call));
                return result.inputTokensCost().add(result.outputTokensCost());
            }
        }
        throw new IllegalStateException("No CostEstimator supports the model \"" + call.model() + "\": " + call.place()
                + ". There are: " + (estimators.isEmpty() ? "none"
                        : estimators.stream().map(TokenPrices::type).collect(Collectors.joining(", ")))
                + ". Add a bean that supports it, or remove " + property(call) + '.');
    }

    private static int count(long tokens) {
        return (int) Math.min(tokens, Integer.MAX_VALUE);
    }

    private static String property(ModelCall call) {
        return "quarkus.rate-limit.langchain4j.permit-price." + String.join(", ", call.policies());
    }

    /** Returns {@code null} if the estimator does not support the model. */
    private static CostResult estimate(CostEstimator estimator, Tokens tokens, ModelCall call) {
        try {
            CostResult result = estimator.supports(tokens) ? estimator.estimate(tokens) : null;
            if (result != null && (result.inputTokensCost().add(result.outputTokensCost()).signum() < 0
                    || result.currency() == null)) {
                throw new IllegalArgumentException("A price is at least 0 and has a currency, unlike " + result);
            }
            return result;
        } catch (RuntimeException e) {
            throw new IllegalStateException(type(estimator) + " failed to estimate the price of the model \"" + call.model()
                    + "\": " + call.place() + '.', e);
        }
    }

    /** Requires that all prices which a policy counts have the currency of the first one. */
    private void requireOneCurrency(String policy, String currency, CostEstimator estimator, ModelCall call) {
        String first = currencies.computeIfAbsent(policy, unknown -> currency);
        if (!first.equals(currency)) {
            throw new IllegalStateException(type(estimator) + " estimates the price of the model \"" + call.model() + "\" in "
                    + currency + ", but policy \"" + policy + "\" counts " + first + ": " + call.place()
                    + ". Let all CostEstimators of a policy use one currency.");
        }
    }

    /** Warns once if a model responds as another one, whose price may differ. */
    void warnOfOtherModel(ModelCall call, String responded) {
        if (responded != null && !responded.equals(call.model()) && warned.size() < MOST_WARNINGS
                && warned.add(call.model() + ' ' + responded)) {
            LOG.warnf("Model \"%s\" responded as \"%s\": %s. Its tokens have the price of \"%s\".", call.model(), responded,
                    call.place(), call.model());
        }
    }

    private static String type(CostEstimator estimator) {
        return ClientProxy.unwrap(estimator).getClass().getName();
    }
}
