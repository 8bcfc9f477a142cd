package io.quarkiverse.ratelimit.test.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitPolicy.Literal;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.test.junit.QuarkusTest;

/** A limiter is injected by its policy's name, wherever beans are injected. */
@QuarkusTest
class RateLimitersInjectionTest {

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
                .returns(3L, RateLimitDecision::permits);
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
                .withMessageContaining("Configured policies: " + String.join(", ", limiters.policies()) + ".");
    }

    @Test
    void policiesAreListed() {
        assertThat(limiters.policies()).containsExactlyElementsOf(configured());
        assertThat(admin.policy("email").limits().get("default").period()).isEqualTo(Duration.ofHours(1));
    }

    private static Set<String> configured() {
        String prefix = "quarkus.rate-limit.policies.";
        return StreamSupport.stream(ConfigProvider.getConfig().getPropertyNames().spliterator(), false)
                .filter(name -> name.startsWith(prefix)).map(name -> name.substring(prefix.length()).split("\\.")[0])
                .collect(Collectors.toCollection(TreeSet::new));
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
