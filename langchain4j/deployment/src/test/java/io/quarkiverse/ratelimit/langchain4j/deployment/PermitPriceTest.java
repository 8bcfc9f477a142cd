package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.langchain4j.MoneyConfig.PriceConverter;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** A price of a permit names a policy. One message reports it with the other mistakes of the configuration. */
class PermitPriceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withEmptyApplication()
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.dollars.permits", "0")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.dollars.period", "1d")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-price.dollars", "0.001")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-price.dolars", "0.001")
            .overrideRuntimeConfigKey("quarkus.rate-limit.langchain4j.permit-prise.dollars", "0.001")
            .assertException(mistake -> assertThat(mistake).isInstanceOf(ConfigurationException.class)
                    .hasMessageContainingAll("3 mistakes to correct",
                            "quarkus.rate-limit.langchain4j.permit-price.dolars names no policy. Configured policies: dollars.",
                            "quarkus.rate-limit.langchain4j.permit-prise.dollars",
                            "did you mean quarkus.rate-limit.langchain4j.permit-price.dollars?",
                            "quarkus.rate-limit.policies.dollars.permits=0 must be"));

    @Test
    void mistakesStopTheStart() {
        fail();
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-1", "1E-13", "1E999999999", "1 dollar", "" })
    void otherPricesDoNotConvert(String text) {
        assertThatThrownBy(() -> new PriceConverter().convert(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Not the price of a permit. Write a number from 0.000000000001");
    }
}
