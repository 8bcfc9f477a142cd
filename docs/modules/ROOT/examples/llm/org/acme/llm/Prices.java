package org.acme.llm;

import java.math.BigDecimal;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.langchain4j.cost.CostEstimator;

// tag::prices[]
@ApplicationScoped
public class Prices implements CostEstimator {

    @Override
    public boolean supports(SupportsContext call) {
        return call.model().equals("gpt-4.1-mini");
    }

    @Override
    public CostResult estimate(CostContext call) {
        return new CostResult(price("0.40", call.inputTokens()), price("1.60", call.outputTokens()), "USD");
    }

    private static BigDecimal price(String ofAMillion, int tokens) {
        return new BigDecimal(ofAMillion).multiply(BigDecimal.valueOf(tokens)).movePointLeft(6);
    }
}
// end::prices[]
