package io.quarkiverse.ratelimit.runtime.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.PolicyUse;

class PolicyReaderTest {

    @Test
    void firstUseIsATokenBucketPerAddress() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.quotes.permits=10",
                "quarkus.rate-limit.policies.quotes.period=1m",
                "quarkus.rate-limit.policies.quotes.key=ip")
                .andMethod("com.acme.QuoteResource#quote()", new PolicyUse("quotes", 1)).read();

        Policy quotes = settings.policies().get("quotes");

        assertThat(quotes.name()).isEqualTo("quotes");
        assertThat(quotes.limits()).containsExactly(new PolicyLimit("default",
                Limit.tokenBucket(10).refill(10, Duration.ofMinutes(1))));
        assertThat(quotes.key()).isNotNull();
        assertThat(quotes.missingKey()).isEqualTo(MissingKey.IP);
        assertThat(quotes.onRedisFailure()).isEqualTo(OnRedisFailure.LOCAL);
        assertThat(quotes.mode()).isEqualTo(Mode.ENFORCE);
        assertThat(quotes.enabled()).isTrue();
    }

    @Test
    void everyPropertyOfAPolicyIsRead() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.login.permits=5",
                "quarkus.rate-limit.policies.login.period=60",
                "quarkus.rate-limit.policies.login.burst=20",
                "quarkus.rate-limit.policies.login.algorithm=token-bucket",
                "quarkus.rate-limit.policies.login.refill=interval",
                "quarkus.rate-limit.policies.login.key=none",
                "quarkus.rate-limit.policies.login.missing-key=refuse",
                "quarkus.rate-limit.policies.login.on-redis-failure=refuse",
                "quarkus.rate-limit.policies.login.mode=shadow",
                "quarkus.rate-limit.policies.login.enabled=false").read();

        Limit limit = Limit.tokenBucket(20).refillInterval(5, Duration.ofMinutes(1));
        assertThat(settings.policies()).containsOnlyKeys("login").containsValue(
                new Policy("login", List.of(new PolicyLimit("default", limit)), KeyTemplate.NONE, MissingKey.REFUSE,
                        OnRedisFailure.REFUSE, Mode.SHADOW, false));
    }

    @Test
    void namedLimitsAreReadCompletelyAndSorted() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.search.limits.hourly.permits=100",
                "quarkus.rate-limit.policies.search.limits.hourly.period=1h",
                "quarkus.rate-limit.policies.search.limits.burst-y_1.permits=10",
                "quarkus.rate-limit.policies.search.limits.burst-y_1.period=1s",
                "quarkus.rate-limit.policies.search.limits.burst-y_1.burst=30",
                "quarkus.rate-limit.policies.search.limits.burst-y_1.algorithm=token-bucket",
                "quarkus.rate-limit.policies.search.limits.burst-y_1.refill=interval").read();

        assertThat(settings.policies().get("search").limits()).containsExactly(
                new PolicyLimit("burst-y_1",
                        Limit.tokenBucket(30).refillInterval(10, Duration.ofSeconds(1))),
                new PolicyLimit("hourly", Limit.tokenBucket(100).refill(100, Duration.ofHours(1))));
    }

    @Test
    void policiesAreSortedAndInheritTheGlobalFailureMode() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.on-redis-failure=refuse",
                "quarkus.rate-limit.policies.b.permits=1",
                "quarkus.rate-limit.policies.b.period=1s",
                "quarkus.rate-limit.policies.\"a-1\".permits=1",
                "quarkus.rate-limit.policies.\"a-1\".period=1s",
                "quarkus.rate-limit.policies.b.on-redis-failure=allow").read();

        assertThat(settings.policies().keySet()).containsExactly("a-1", "b");
        assertThat(settings.policies().get("a-1").onRedisFailure()).isEqualTo(OnRedisFailure.REFUSE);
        assertThat(settings.policies().get("b").onRedisFailure()).isEqualTo(OnRedisFailure.ALLOW);
    }
}
