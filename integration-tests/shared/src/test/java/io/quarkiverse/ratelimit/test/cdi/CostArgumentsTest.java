package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertUnlimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.test.fixtures.StateKeys;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** An argument with {@code @RateLimitCost} is the number of permits that a call acquires. */
@QuarkusTest
class CostArgumentsTest {

    private static final String SERVICE = Service.class.getName();

    @Inject
    Service service;

    @Inject
    RedisDataSource redis;

    @Inject
    Administration administration;

    @Inject
    RateLimiters limiters;

    @Inject
    @RateLimitPolicy("cost-calls")
    RateLimiter calls;

    @Inject
    @RateLimitPolicy("cost-ten")
    RateLimiter ten;

    @Inject
    @RateLimitPolicy("cost-other")
    RateLimiter other;

    @Inject
    @RateLimitPolicy("cost-running")
    RateLimiter running;

    @Inject
    @RateLimitPolicy("cost-user")
    RateLimiter user;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
        administration.reload().await().indefinitely();
    }

    @Test
    void callCostsItsArgument() {
        service.ofInt(1);
        service.ofLong(2L);
        service.ofInteger(3);
        assertThat(left(ten)).isEqualTo(4);

        service.uni(1).await().indefinitely();
        service.multi(1).collect().asList().await().indefinitely();
        Uni.createFrom().completionStage(service.stage(1)).await().indefinitely();
        assertThat(left(ten)).isEqualTo(1);
    }

    @Test
    void concurrentCallsAcquireNoMoreThanThereIs() {
        List<Boolean> allowed = Multi.createFrom().range(0, 50).onItem()
                .transformToUni(call -> service.uni(3).map(done -> true).onFailure(RateLimitExceededException.class)
                        .recoverWithItem(false))
                .merge(50).collect().asList().await().indefinitely();

        assertThat(Collections.frequency(allowed, true)).isEqualTo(3);
        assertThat(left(ten)).isEqualTo(1);
    }

    @Test
    void deniedCallAcquiresNothing() {
        service.ofInt(8);

        assertThatThrownBy(() -> service.ofInt(3)).isInstanceOf(RateLimitExceededException.class);

        assertThat(left(ten)).isEqualTo(2);
        service.ofInt(2);
    }

    @Test
    void costThatTheLimitCanNeverAllowIsDeniedForGood() {
        assertThatThrownBy(() -> service.ofInt(11)).isInstanceOfSatisfying(RateLimitExceededException.class,
                denial -> assertThat(denial.decision().neverAllowed()).isTrue());
    }

    @Test
    void argumentReplacesTheCostOfTheAnnotationForAllPolicies() {
        service.both(4);

        assertThat(left(ten)).isEqualTo(6);
        assertThat(left(other)).isEqualTo(96);
    }

    @Test
    void zeroTakesNothing() {
        service.ofInt(10);

        assertUnlimited(() -> service.ofInt(0));
        assertUnlimited(() -> service.uni(0).await().indefinitely());
        service.keyed("alice", 0);
        service.running(0);
        assertThat(keys()).containsExactly("rate-limit:{cost-ten}:default:tb1");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = { "LEAKY_BUCKET", "CONCURRENCY" })
    void zeroIsAllowedByEachAlgorithmWhateverIsUsed(Algorithm algorithm) {
        RateLimiter limiter = limiters.get("cost-" + algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        limiter.charge(15);

        assertUnlimited(() -> service.ofAlgorithm(algorithm, 0));
        assertThatThrownBy(() -> service.ofAlgorithm(algorithm, 1)).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void zeroCountsWhereCallsCount() {
        service.calls(0);
        service.calls(5);
        assertThatThrownBy(() -> service.calls(0)).isInstanceOf(RateLimitExceededException.class);
        assertThat(calls.peek().limits()).extracting(LimitState::limit, LimitState::remaining)
                .containsExactly(tuple("cost", 5L), tuple("number", 0L));
    }

    @Test
    void zeroRunsOnlyAsOftenAsCallsMayRun() {
        assertThat(service.together(0, () -> service.together(0, () -> 7L))).isEqualTo(7);
        assertThatThrownBy(() -> service.together(0, () -> service.together(0, () -> service.together(0, () -> 7L))))
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void zeroIsDeniedWhileItsKeyIsBlocked() {
        ten.block(Duration.ofMinutes(1));
        assertThatThrownBy(() -> service.ofInt(0)).isInstanceOfSatisfying(RateLimitExceededException.class,
                denied -> assertThat(denied.decision().denialReason()).contains(DenialReason.BLOCKED));

        assertThatThrownBy(() -> service.both(0)).isInstanceOf(RateLimitExceededException.class);
        ten.unblock();
        assertUnlimited(() -> service.ofInt(0));
    }

    @Test
    void costGoesWithAKey() {
        service.keyed("alice", 7);

        assertThat(left(user)).isEqualTo(10);
        assertThat(user.forKey("alice").peek().remaining()).isEqualTo(3);
    }

    @Test
    void whatIsNoCostFailsTheCall() {
        assertFails(() -> service.ofInt(-1), "ofInt(int) must be 0 to 1000000000, but is -1");
        assertFails(() -> service.ofInt(1_000_000_001), "ofInt(int) must be 0 to 1000000000, but is 1000000001");
        assertFails(() -> service.ofLong(Long.MIN_VALUE),
                "ofLong(java.lang.Long) must be 0 to 1000000000, but is -9223372036854775808");
        assertFails(() -> service.ofLong(1L << 32), "ofLong(java.lang.Long) must be 0 to 1000000000, but is 4294967296");
        assertFails(() -> service.ofLong(null), "ofLong(java.lang.Long) must be 0 to 1000000000, but is null");
        assertFails(() -> service.uni(-1).await().indefinitely(), "uni(long) must be 0 to 1000000000, but is -1");
        assertFails(() -> service.running(10_001), "running(int) must be 0 to 10000, but is 10001");

        assertThat(keys()).isEmpty();
    }

    @Test
    void whatIsNoCostFailsTheResult() {
        Uni<String> uni = service.uni(-1);
        Multi<String> multi = service.multi(-1);
        CompletionStage<String> stage = service.stage(-1);

        assertFails(() -> uni.await().indefinitely(), "uni(long) must be 0 to 1000000000, but is -1");
        assertFails(() -> multi.collect().asList().await().indefinitely(), "multi(int) must be 0 to 1000000000, but is -1");
        assertFails(() -> Uni.createFrom().completionStage(stage).await().indefinitely(),
                "stage(int) must be 0 to 1000000000, but is -1");
    }

    @Test
    void callHoldsAsManyPermitsWhileItRuns() {
        assertThat(service.running(7)).isEqualTo(3);

        await().atMost(Duration.ofSeconds(10)).until(() -> left(running) == 10);
        assertThatThrownBy(() -> service.running(11)).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void disabledPolicyDoesNotReadTheCost() {
        assertThatCode(() -> service.off(-1)).doesNotThrowAnyException();

        assertThat(keys()).isEmpty();
    }

    private static void assertFails(ThrowingCallable call, String message) {
        assertThatIllegalArgumentException().isThrownBy(call)
                .satisfies(failure -> assertThat(failure.getStackTrace()).isEmpty())
                .withMessage("The @RateLimitCost of " + SERVICE + "#" + message);
    }

    private static long left(RateLimiter limiter) {
        return limiter.forKey("anybody").peek().remaining();
    }

    private List<String> keys() {
        return StateKeys.of(redis, "cost-ten", "cost-user", "cost-other", "cost-running", "cost-off");
    }

    @ApplicationScoped
    public static class Service {

        @Inject
        @RateLimitPolicy("cost-running")
        RateLimiter running;

        @RateLimited("cost-ten")
        void ofInt(@RateLimitCost int cost) {
        }

        @RateLimited("cost-ten")
        void ofLong(@RateLimitCost Long cost) {
        }

        @RateLimited("cost-ten")
        void ofInteger(@RateLimitCost Integer cost) {
        }

        @RateLimited("cost-ten")
        Uni<String> uni(@RateLimitCost long cost) {
            return Uni.createFrom().item("done");
        }

        @RateLimited("cost-ten")
        Multi<String> multi(@RateLimitCost int cost) {
            return Multi.createFrom().item("done");
        }

        @RateLimited("cost-ten")
        CompletionStage<String> stage(@RateLimitCost int cost) {
            return CompletableFuture.completedFuture("done");
        }

        @RateLimited(value = "cost-ten", cost = 2)
        @RateLimited(value = "cost-other", cost = 50)
        void both(@RateLimitCost int cost) {
        }

        @RateLimited("cost-user")
        void keyed(@RateLimitKey String user, @RateLimitCost int cost) {
        }

        @RateLimited("cost-running")
        long running(@RateLimitCost int cost) {
            return running.forKey("anybody").peek().remaining();
        }

        @RateLimited("cost-calls")
        void calls(@RateLimitCost int cost) {
        }

        @RateLimited("cost-together")
        long together(@RateLimitCost int cost, Supplier<Long> work) {
            return work.get();
        }

        void ofAlgorithm(Algorithm algorithm, int cost) {
            switch (algorithm) {
                case TOKEN_BUCKET -> self.bucket(cost);
                case FIXED_WINDOW -> self.fixed(cost);
                case SLIDING_WINDOW -> self.sliding(cost);
                case SLIDING_LOG -> self.log(cost);
                case LEAKY_BUCKET, CONCURRENCY -> throw new IllegalArgumentException();
            }
        }

        @Inject
        Service self;

        @RateLimited("cost-token-bucket")
        void bucket(@RateLimitCost int cost) {
        }

        @RateLimited("cost-fixed-window")
        void fixed(@RateLimitCost int cost) {
        }

        @RateLimited("cost-sliding-window")
        void sliding(@RateLimitCost int cost) {
        }

        @RateLimited("cost-sliding-log")
        void log(@RateLimitCost int cost) {
        }

        @RateLimited("cost-off")
        void off(@RateLimitCost int cost) {
        }
    }
}
