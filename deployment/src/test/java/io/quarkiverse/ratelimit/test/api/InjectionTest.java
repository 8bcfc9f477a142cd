package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.QuarkusUnitTest;

/** A limiter is injected by its policy's name, wherever beans are injected. */
class InjectionTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(ByConstructor.class, Named.class))
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
        assertThat(any.select(new Named("email")).get().forKey("a").peek().policy()).isEqualTo("email");
        assertThat(any.select(new Named("default")).get().forKey("a").peek().policy()).isEqualTo("default");
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

    @SuppressWarnings("all")
    public static class Named extends AnnotationLiteral<RateLimitPolicy> implements RateLimitPolicy {
        private final String value;

        public Named(String value) {
            this.value = value;
        }

        @Override
        public String value() {
            return value;
        }
    }
}
