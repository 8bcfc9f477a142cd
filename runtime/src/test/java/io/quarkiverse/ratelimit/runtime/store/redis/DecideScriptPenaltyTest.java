package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.requestOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript.ReplyReader;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** What a penalty keeps in Redis: no more than it needs, and no longer than it matters. */
class DecideScriptPenaltyTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Limit ONE_A_DAY = Limit.fixedWindow(1, Duration.ofDays(1));
    private static final Policy POLICY = policy("policy", ONE_A_DAY)
            .withPenalty(new Penalty(3, MINUTE.multipliedBy(10), MINUTE, MINUTE.multipliedBy(4)));
    private static final String KEY = "test:{alice}:policy:penalty:state";
    private static final int SIZE = 21, SIZE_OF_DENIAL = 7;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(1_763_640_000_000_000L);
    private final DecideScript script = FrozenRedis.script(clock::get);

    @AfterEach
    void nothingIsLeft() {
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        REDIS.send(Command.FLUSHALL);
    }

    @Test
    void onlyDeniedKeysHaveAState() {
        acquire(POLICY);
        assertThat(REDIS.send(Command.DBSIZE).toInteger()).isEqualTo(1);

        acquire(POLICY);
        assertThat(REDIS.send(Command.DBSIZE).toInteger()).isEqualTo(2);
        assertThat(size()).isEqualTo(SIZE + SIZE_OF_DENIAL);
    }

    @Test
    void stateIsBoundedAndExpiresWhenItNoLongerMatters() {
        acquire(POLICY);
        Random random = new Random(7);
        long blockEnds = 0;
        for (int step = 0; step < 300; step++) {
            clock.addAndGet(random.nextLong(Duration.ofMinutes(2).toNanos() / 1_000));
            boolean wasBlocked = clock.get() < blockEnds;
            long left = millisLeft();
            Duration blocked = acquire(POLICY).blockedFor(1);
            if (wasBlocked) {
                assertThat(millisLeft()).isBetween(left - 5_000, left);
                continue;
            }
            blockEnds = blocked.isZero() ? blockEnds : clock.get() + blocked.toNanos() / 1_000;
            long doubles = blockEnds == 0 ? 0 : blockEnds + MINUTE.multipliedBy(4).toNanos() / 1_000 - clock.get();
            long counts = blocked.isZero() ? MINUTE.multipliedBy(10).toMillis() : 0;
            long matters = Math.max(doubles / 1_000, counts);
            assertThat(millisLeft()).as("step %d", step).isBetween(matters - 5_000, matters + 1_000);
            assertThat(size()).isLessThanOrEqualTo(SIZE + 2 * SIZE_OF_DENIAL);
        }
        assertThat(blockEnds).isPositive();
    }

    @Test
    void callsOfAKeyThatCodeHasBlockedWriteNothing() {
        Policy blocked = POLICY.withPenalty(POLICY.penalty().blockedFor(() -> MINUTE.toNanos() / 1_000));

        for (int call = 0; call < 4; call++) {
            assertThat(acquire(blocked).blockedFor(1)).isEqualTo(MINUTE);
        }

        assertThat(REDIS.send(Command.DBSIZE).toInteger()).isZero();
        assertThat(acquire(POLICY).allows(0, 2)).isTrue();
    }

    @Test
    void longerOfTwoBlocksApplies() {
        for (int call = 0; call < 4; call++) {
            acquire(POLICY);
        }

        assertThat(acquire(POLICY.withPenalty(POLICY.penalty().blockedFor(() -> 1_000))).blockedFor(1)).isEqualTo(MINUTE);
        assertThat(acquire(POLICY.withPenalty(POLICY.penalty().blockedFor(() -> 120_000_000))).blockedFor(1))
                .isEqualTo(MINUTE.multipliedBy(2));
    }

    @Test
    void deniedCallsStayDeniedAndWriteNothingWithoutMemory() {
        acquire(POLICY);
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "1");

        for (int i = 0; i < 5; i++) {
            assertThat(acquire(POLICY).limits().get(0).granted()).isZero();
        }

        assertThat(REDIS.send(Command.DBSIZE).toInteger()).isEqualTo(1);
    }

    @Test
    void newKeysBehindADenialThatIsNotCountedAreDeniedByRedis() {
        acquire(POLICY);
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "1");

        ReplyReader reply = new ReplyReader(REDIS.send(
                script.command(List.of(requestOf("alice", 1, POLICY), requestOf("bob", 1, policy("other", ONE_A_DAY))), true)));

        assertThat(reply.errorOfNext()).isNull();
        reply.next(requestOf("alice", 1, POLICY));
        assertThat(reply.errorOfNext()).contains("OOM");
        assertThat(REDIS.send(Command.DBSIZE).toInteger()).isEqualTo(1);
    }

    @Test
    void keyOfAnotherTypeIsReplaced() {
        acquire(POLICY);
        REDIS.send(Command.HSET, KEY, "not", "ours");

        acquire(POLICY);

        assertThat(size()).isEqualTo(SIZE + SIZE_OF_DENIAL);
    }

    @Test
    void peekAndBlockedCallsChangeNothing() {
        for (int i = 0; i < 4; i++) {
            acquire(POLICY);
        }
        clock.addAndGet(1_000_000);
        Response before = REDIS.send(Command.DUMP, KEY);

        acquire(POLICY);
        decide(StoreRequests.requestOf(POLICY, new PermitRequest(1, OperationKind.PEEK, 0), "alice"));
        decide(StoreRequests.requestOf(POLICY, new PermitRequest(1, OperationKind.CHARGE, 0), "alice"));

        assertThat(REDIS.send(Command.DUMP, KEY).toBytes()).isEqualTo(before.toBytes());
    }

    /** Equal calls of one iteration are not merged, so that each denial counts. */
    @Test
    void deniedCallsOfOneBatchAllCount() {
        StoreRequest call = requestOf("alice", 1, POLICY);
        assertThat(Batch.isMergeable(call)).isFalse();
        ReplyReader reply = new ReplyReader(REDIS.send(script.command(List.of(call, call, call, call, call), true)));

        List<Duration> blocked = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            assertThat(reply.errorOfNext()).isNull();
            blocked.add(reply.next(call).blockedFor(1));
        }

        assertThat(blocked).containsExactly(Duration.ZERO, Duration.ZERO, Duration.ZERO, MINUTE, MINUTE);
    }

    private StoreReply acquire(Policy policy) {
        return decide(requestOf("alice", 1, policy));
    }

    private StoreReply decide(StoreRequest request) {
        ReplyReader reply = new ReplyReader(REDIS.send(script.command(List.of(request), true)));
        assertThat(reply.errorOfNext()).isNull();
        return reply.next(request);
    }

    private static int size() {
        return REDIS.send(Command.STRLEN, KEY).toInteger();
    }

    private static long millisLeft() {
        return REDIS.send(Command.PTTL, KEY).toLong() - FrozenRedis.HOUR_MILLIS;
    }
}
