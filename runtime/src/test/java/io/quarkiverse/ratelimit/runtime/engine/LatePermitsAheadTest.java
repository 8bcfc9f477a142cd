package io.quarkiverse.ratelimit.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.engine.charge.Charge;
import io.quarkiverse.ratelimit.runtime.engine.decision.Decision;
import io.quarkiverse.ratelimit.runtime.engine.decision.Outcome;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.redis.RealRedis;
import io.quarkiverse.ratelimit.runtime.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.redis.TcpProxy;
import io.quarkiverse.ratelimit.runtime.store.LocalStore;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.Command;

/** Permits that a request acquired ahead are refunded when its reply arrives too late; only its own call stays charged. */
class LatePermitsAheadTest {

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    /** Much less than the time after which a connection is silent. */
    private static final Duration SHORT = Duration.ofMillis(30), LATE = Duration.ofMillis(400);
    private static final Policy POLICY = UnreliableStore.prefetching("policy", Mode.ENFORCE,
            new PolicyLimit("l0", Limit.tokenBucket(1_000).refill(1, Duration.ofDays(1))), 300, Duration.ofSeconds(30));

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final LocalStore local = new LocalStore(() -> System.currentTimeMillis() * 1000);
    private final String caller = UUID.randomUUID().toString();
    private TcpProxy proxy;
    private RedisStore store, direct;
    private TestLimiter limiter, other;
    private long left;

    @BeforeEach
    void useUpWhatIsAhead() {
        proxy = new TcpProxy(REDIS.vertx, REDIS.port());
        store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT);
        direct = REDIS.newStore(SOON);
        limiter = new TestLimiter(store, local, REDIS.vertx, TIMEOUT);
        other = new TestLimiter(direct, local, REDIS.vertx, SOON);
        await().atMost(SOON).until(() -> peek(limiter).source() == Source.REDIS);
        left = 1_000;
        do {
            left--;
        } while (decideInTime() != Source.PREFETCHED);
        while (left() < left) {
            left--;
            decideInTime();
        }
    }

    private Source decideInTime() {
        Source source = decide(SOON).source();
        assertThat(source).isNotEqualTo(Source.FALLBACK);
        return source;
    }

    @AfterEach
    void stop() {
        store.close();
        direct.close();
        proxy.close();
    }

    @Test
    void overTheSameConnection() {
        pause(LATE);

        assertThat(decide(SHORT).source()).isEqualTo(Source.FALLBACK);

        awaitRefund();
    }

    @Test
    void overAConnectionThatIsReplacedBecauseRedisIsSilent() {
        pause(TIMEOUT.plus(LATE));

        assertThat(decide(TIMEOUT).source()).isEqualTo(Source.FALLBACK);
        assertThat(decide(TIMEOUT).source()).isEqualTo(Source.FALLBACK);

        awaitRefund();
    }

    @Test
    void ofACanceledCall() {
        pause(LATE);

        call(SHORT).subscribe().with(never -> {
        }).cancel();

        awaitRefund();
    }

    @Test
    void onceWhenTheReplyToTheRefundIsLost() {
        // Redis must know the script, as it would be sent again only after a reply
        other.refunds.refund(other.decide(POLICY, "somebody else", PermitRequest.of(1)).decisions().get(0)).await()
                .atMost(SOON);
        proxy.delay(LATE);
        assertThat(decide(SHORT).source()).isEqualTo(Source.FALLBACK);
        await().atMost(SOON).until(() -> left() < left - 1);
        proxy.dropReplies();
        awaitRefund();
        REDIS.send(Command.CONFIG, "RESETSTAT");

        proxy.delay(Duration.ZERO);
        proxy.recover();

        await().atMost(SOON).until(() -> REDIS.calls("zscore") > 0);
        assertThat(left()).isEqualTo(left - 1);
    }

    private void awaitRefund() {
        await().atMost(SOON).until(() -> left() < left);
        await().atMost(SOON).until(() -> left() == left - 1);
    }

    private void pause(Duration time) {
        REDIS.send(Command.CLIENT, "PAUSE", time.toMillis());
    }

    private Decision decide(Duration timeout) {
        return call(timeout).await().atMost(SOON).decisions().get(0);
    }

    private Uni<Outcome> call(Duration timeout) {
        return limiter.calls.decide(new Charge(POLICY, PermitRequest.of(1)), caller, Deadline.in(timeout));
    }

    private long left() {
        return peek(other).remaining();
    }

    private Decision peek(TestLimiter instance) {
        return instance.decide(POLICY, caller, new PermitRequest(1, OperationKind.PEEK, 0)).decisions().get(0);
    }
}
