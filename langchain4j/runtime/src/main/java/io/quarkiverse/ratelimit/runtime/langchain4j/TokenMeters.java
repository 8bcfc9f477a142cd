package io.quarkiverse.ratelimit.runtime.langchain4j;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkiverse.ratelimit.runtime.engine.EstimatedCalls.CostObserver;

/** Counts the tokens of language models by policy, if the application has Micrometer. Money is not counted. */
@Singleton
public class TokenMeters implements CostObserver {

    private final MeterProvider<Counter> tokens;
    private final TokenPrices prices;

    TokenMeters(MeterRegistry registry, TokenPrices prices) {
        this.tokens = Counter.builder("rate.limit.tokens").description("Tokens of language models").withRegistry(registry);
        this.prices = prices;
    }

    @Override
    public void settled(String policy, long estimated, long used) {
        if (!prices.arePermitsOf(policy)) {
            tokens.withTags("policy", policy, "kind", "estimated").increment(estimated);
            tokens.withTags("policy", policy, "kind", "used").increment(used);
        }
    }
}
