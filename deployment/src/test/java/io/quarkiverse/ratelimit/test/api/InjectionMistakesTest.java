package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.test.QuarkusUnitTest;

/** Limiters of policies that are not configured stop the start, together with all other mistakes. */
class InjectionMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Mailer.class))
            .withConfiguration("""
                    quarkus.rate-limit.policies.email.permits=3
                    quarkus.rate-limit.policies.email.burts=3
                    """)
            .assertException(failure -> assertThat(failure).isInstanceOf(ConfigurationException.class)
                    .hasMessageContaining("@RateLimitPolicy(\"emial\")").hasMessageContaining("Mailer#field")
                    .hasMessageContaining("\"by-constructor\"").hasMessageContaining("\"later\"")
                    .hasMessageContaining("\"logn\"").hasMessageContaining("Mailer#send()")
                    .hasMessageContaining("email.burts").hasMessageContaining("email.period"));

    @Test
    void startFails() {
        fail("The application must not start");
    }

    @Singleton
    public static class Mailer {
        @Inject
        @RateLimitPolicy("emial")
        RateLimiter field;

        @Inject
        @RateLimitPolicy("later")
        Instance<RateLimiter> later;

        Mailer(@RateLimitPolicy("by-constructor") RateLimiter limiter) {
        }

        @RateLimited("logn")
        public void send() {
        }
    }
}
