package io.quarkiverse.ratelimit.runtime.langchain4j;

import java.math.BigDecimal;
import java.util.Map;

import org.eclipse.microprofile.config.spi.Converter;

import io.quarkus.runtime.annotations.ConfigDocMapKey;
import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;

/** Budgets of money for AI services. */
@ConfigMapping(prefix = "quarkus.rate-limit.langchain4j")
@ConfigRoot(phase = ConfigPhase.RUN_TIME)
public interface MoneyConfig {

    /**
     * What one permit of a policy is worth, such as {@code 0.000001}, in the currency of the {@code CostEstimator} beans.
     * AI services charge the policy the price of their calls, in place of tokens. From 10<sup>-12</sup> to 10<sup>12</sup>.
     */
    @ConfigDocMapKey("policy")
    Map<String, @WithConverter(PriceConverter.class) BigDecimal> permitPrice();

    /** Converts prices of permits. */
    final class PriceConverter implements Converter<BigDecimal> {

        private static final BigDecimal LEAST = new BigDecimal("1E-12");
        private static final BigDecimal MOST = new BigDecimal("1E12");

        @Override
        public BigDecimal convert(String text) {
            try {
                BigDecimal price = new BigDecimal(text.strip());
                if (price.compareTo(LEAST) >= 0 && price.compareTo(MOST) <= 0) {
                    return price;
                }
            } catch (NumberFormatException noNumber) {
                // the same message
            }
            throw new IllegalArgumentException("Not the price of a permit. Write a number from 0.000000000001 to"
                    + " 1000000000000, such as 0.000001.");
        }
    }
}
