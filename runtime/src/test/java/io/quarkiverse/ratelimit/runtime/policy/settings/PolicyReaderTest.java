package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Counts;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Policy.Prefetch;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

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
    void limitsOfOnePolicyCountCostOrCalls() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.llm.limits.requests.permits=60",
                "quarkus.rate-limit.policies.llm.limits.requests.period=1m",
                "quarkus.rate-limit.policies.llm.limits.requests.counts=calls",
                "quarkus.rate-limit.policies.llm.limits.tokens.permits=1000",
                "quarkus.rate-limit.policies.llm.limits.tokens.period=1m",
                "quarkus.rate-limit.policies.llm.plan=roles",
                "quarkus.rate-limit.policies.llm.plans.gold.limits.requests.permits=600").read();

        Policy llm = settings.policies().get("llm");

        assertThat(llm.limits()).extracting(PolicyLimit::name, PolicyLimit::countsCost)
                .containsExactly(tuple("requests", false), tuple("tokens", true));
        assertThat(llm.plans().inOrder().get(0).limits().values()).extracting(Limit::counts)
                .containsExactly(Counts.CALLS);
    }

    @Test
    void everyPropertyOfAPolicyIsRead() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.login.permits=5",
                "quarkus.rate-limit.policies.login.period=60",
                "quarkus.rate-limit.policies.login.burst=20",
                "quarkus.rate-limit.policies.login.algorithm=token-bucket",
                "quarkus.rate-limit.policies.login.refill=interval",
                "quarkus.rate-limit.policies.login.max-wait=2s",
                "quarkus.rate-limit.policies.login.key=global",
                "quarkus.rate-limit.policies.login.missing-key=deny",
                "quarkus.rate-limit.policies.login.on-redis-failure=deny",
                "quarkus.rate-limit.policies.login.mode=shadow",
                "quarkus.rate-limit.policies.login.denial-cache=0",
                "quarkus.rate-limit.policies.login.enabled=false").read();

        Limit limit = Limit.tokenBucket(20).refillInterval(5, Duration.ofMinutes(1)).maxWait(Duration.ofSeconds(2));
        assertThat(settings.policies()).containsOnlyKeys("login").containsValue(
                new Policy("login", List.of(new PolicyLimit("default", limit)), KeyTemplate.GLOBAL, MissingKey.DENY,
                        OnRedisFailure.DENY, Mode.SHADOW, false));
    }

    @Test
    void waitsHaveNoJitterByDefault() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.api.permits=100", "quarkus.rate-limit.policies.api.period=1s",
                "quarkus.rate-limit.policies.shared.permits=100", "quarkus.rate-limit.policies.shared.period=1s",
                "quarkus.rate-limit.policies.shared.retry-after-jitter=1d").read();

        assertThat(settings.policies().get("api").retryAfterJitter()).isZero();
        assertThat(settings.policies().get("shared").retryAfterJitter()).isEqualTo(Duration.ofDays(1));
    }

    @Test
    void prefetchIsOffByDefaultAndLastsHalfASecond() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.api.permits=100", "quarkus.rate-limit.policies.api.period=1s",
                "quarkus.rate-limit.policies.fast.permits=100", "quarkus.rate-limit.policies.fast.period=1s",
                "quarkus.rate-limit.policies.fast.prefetch=100",
                "quarkus.rate-limit.policies.slow.permits=100", "quarkus.rate-limit.policies.slow.period=1s",
                "quarkus.rate-limit.policies.slow.prefetch=7", "quarkus.rate-limit.policies.slow.prefetch-time=2s").read();

        assertThat(settings.policies().get("api").prefetch()).isEqualTo(Prefetch.NONE);
        assertThat(settings.policies().get("fast").prefetch()).isEqualTo(new Prefetch(100, Duration.ofMillis(500)));
        assertThat(settings.policies().get("slow").prefetch()).isEqualTo(new Prefetch(7, Duration.ofSeconds(2)));
    }

    @Test
    void pausesAreOffByDefaultAndBounded() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.api.permits=100", "quarkus.rate-limit.policies.api.period=1s",
                "quarkus.rate-limit.policies.bank.permits=100", "quarkus.rate-limit.policies.bank.period=1s",
                "quarkus.rate-limit.policies.bank.obey-retry-after=10m").read();

        assertThat(settings.policies().get("api").obeyRetryAfter()).isZero();
        assertThat(settings.policies().get("bank").obeyRetryAfter()).isEqualTo(Duration.ofMinutes(10));
        assertThat(Configured.with(
                "quarkus.rate-limit.policies.api.permits=100", "quarkus.rate-limit.policies.api.period=1s",
                "quarkus.rate-limit.policies.api.obey-retry-after=367d").mistakes()).singleElement().asString()
                .contains("obey-retry-after=367d must be from 0 to 366d.");
    }

    @ParameterizedTest
    @MethodSource
    void everyAlgorithmIsRead(String properties, Limit limit) {
        Settings settings = Configured.with(Arrays.stream(properties.split(" "))
                .map(property -> "quarkus.rate-limit.policies.login." + property).toArray(String[]::new)).read();

        assertThat(settings.policies().get("login").limits()).extracting(PolicyLimit::limit).containsExactly(limit);
    }

    static Stream<Arguments> everyAlgorithmIsRead() {
        Duration minute = Duration.ofMinutes(1);
        return Stream.of(
                arguments("permits=5 period=1m", Limit.tokenBucket(5).refill(5, minute)),
                arguments("permits=5 period=1m max-wait=2s",
                        Limit.tokenBucket(5).refill(5, minute).maxWait(Duration.ofSeconds(2))),
                arguments("permits=5 period=1m algorithm=leaky-bucket max-wait=366d",
                        Limit.leakyBucket(5, minute, Duration.ofDays(366))),
                arguments("permits=5 period=1m algorithm=fixed-window", Limit.fixedWindow(5, minute)),
                arguments("permits=5 algorithm=fixed-window calendar=month",
                        Limit.fixedWindow(5, CalendarPeriod.MONTH, ZoneOffset.UTC)),
                arguments("permits=5 algorithm=fixed-window calendar=week zone=Europe/Berlin",
                        Limit.fixedWindow(5, CalendarPeriod.WEEK, ZoneId.of("Europe/Berlin"))),
                arguments("permits=5 period=1m algorithm=sliding-window", Limit.slidingWindow(5, minute)),
                arguments("permits=5 period=1m algorithm=sliding-log", Limit.slidingLog(5, minute)),
                arguments("permits=5 algorithm=concurrency", Limit.concurrency(5)),
                arguments("permits=5 algorithm=concurrency lease-time=1d",
                        Limit.concurrency(5).leaseTime(Duration.ofDays(1))));
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
                "quarkus.rate-limit.on-redis-failure=deny",
                "quarkus.rate-limit.policies.b.permits=1",
                "quarkus.rate-limit.policies.b.period=1s",
                "quarkus.rate-limit.policies.\"a-1\".permits=1",
                "quarkus.rate-limit.policies.\"a-1\".period=1s",
                "quarkus.rate-limit.policies.b.on-redis-failure=allow").read();

        assertThat(settings.policies().keySet()).containsExactly("a-1", "b");
        assertThat(settings.policies().get("a-1").onRedisFailure()).isEqualTo(OnRedisFailure.DENY);
        assertThat(settings.policies().get("b").onRedisFailure()).isEqualTo(OnRedisFailure.ALLOW);
    }

    @ParameterizedTest
    @CsvSource({ "0, PT0S", "1m, PT1M", "PT0.5S, PT0.5S" })
    void denialCacheIsRead(String text, Duration denialCache) {
        assertThat(Configured.with("quarkus.rate-limit.policies.login.permits=5",
                "quarkus.rate-limit.policies.login.period=1m", "quarkus.rate-limit.policies.login.denial-cache=" + text).read()
                .policies().get("login").denialCache()).isEqualTo(denialCache);
    }
}
