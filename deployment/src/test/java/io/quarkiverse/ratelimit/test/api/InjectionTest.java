package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitPolicy.Literal;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.test.QuarkusUnitTest;

/** A limiter is injected by its policy's name, wherever beans are injected. */
class InjectionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(ByConstructor.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.default.permits=2
                    quarkus.rate-limit.policies.default.period=1h
                    quarkus.rate-limit.policies.email.permits=3
                    quarkus.rate-limit.policies.email.period=1h
                    """);

    @Inject
    @RateLimitPolicy
    RateLimiter unnamed;

    @Inject
    ByConstructor byConstructor;

    @Inject
    @RateLimitPolicy("email")
    Instance<RateLimiter> lazily;

    @Inject
    @Any
    Instance<RateLimiter> any;

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void nameIsDefaultUnlessGiven() {
        assertThat(unnamed.forKey("a").peek()).returns("default", RateLimitDecision::policy)
                .returns(2L, RateLimitDecision::permits);
    }

    @Test
    void constructorParametersAndInitializersGetTheirs() {
        assertThat(byConstructor.email.forKey("a").peek().policy()).isEqualTo("email");
        assertThat(byConstructor.initialized.forKey("a").peek().policy()).isEqualTo("email");
        assertThat(byConstructor.initialized).isSameAs(limiters.get("email"));
    }

    @Test
    void instanceGetsItLater() {
        assertThat(lazily.isResolvable()).isTrue();
        assertThat(lazily.get().forKey("lazily").tryAcquire().remaining()).isEqualTo(2);
    }

    @Test
    void instanceIsSelectedByName() {
        assertThat(any.select(Literal.of("email")).get().forKey("a").peek().policy()).isEqualTo("email");
        assertThat(any.select(Literal.of("default")).get().forKey("a").peek().policy()).isEqualTo("default");
        assertThat(CDI.current().select(ReactiveRateLimiter.class, Literal.of("email")).get().forKey("a").peek().await()
                .indefinitely().policy()).isEqualTo("email");
        assertThat(Literal.of("email")).isEqualTo(Literal.of("email")).returns("email", RateLimitPolicy::value);
        assertThatIllegalArgumentException().isThrownBy(() -> any.select(Literal.of("none")).get())
                .withMessageContaining("Configured policies: default, email.");
    }

    @Test
    void policiesAreListed() {
        assertThat(limiters.policies()).containsExactly("default", "email");
        assertThat(admin.limits("email").get("default").period()).isEqualTo(Duration.ofHours(1));
    }

    @Singleton
    public static class ByConstructor {
        final RateLimiter email;
        RateLimiter initialized;

        ByConstructor(@RateLimitPolicy("email") RateLimiter email) {
            this.email = email;
        }

        @Inject
        void initialize(@RateLimitPolicy("email") RateLimiter limiter) {
            initialized = limiter;
        }
    }
}
