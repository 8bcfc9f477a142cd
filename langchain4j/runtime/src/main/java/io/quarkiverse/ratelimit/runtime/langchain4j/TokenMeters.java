package io.quarkiverse.ratelimit.runtime.langchain4j;

import jakarta.inject.Singleton;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;

/** Counts the tokens of language models by policy. */
@Singleton
public class TokenMeters implements TokenReservations.TokenObserver {

    private final MeterProvider<Counter> tokens;

    TokenMeters(MeterRegistry registry) {
        this.tokens = Counter.builder("rate.limit.tokens").description("Tokens of language models").withRegistry(registry);
    }

    @Override
    public void settled(String policy, long estimated, long used) {
        tokens.withTags("policy", policy, "kind", "estimated").increment(estimated);
        tokens.withTags("policy", policy, "kind", "used").increment(used);
    }
}
