package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.operation;
import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation.PlainOperation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationResult;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * A request to which Redis replies with an error fails at once, and is logged once. Requests work again within a second of
 * Redis' recovery.
 */
class RedisStoreErrorsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration OFTEN = Duration.ofMillis(10);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();
    private RedisStore store;
    private CapturedLog log;

    @BeforeEach
    void open() {
        store = REDIS.newStore(SECOND.multipliedBy(3));
        new Caller(store, "warm", 1).timeToWork(Duration.ofSeconds(10));
        log = new CapturedLog();
    }

    @AfterEach
    void close() {
        store.close();
        log.close();
    }

    @Test
    void keyOfAWrongTypeIsReplaced() {
        REDIS.send(Command.LPUSH, "test:{replaced}:plenty:l0:tb1", "not ours");
        Caller caller = new Caller(store, "replaced", 1);

        assertThat(caller.isAllowed()).isTrue();
        assertThat(caller.isAllowed()).isFalse();
        assertThat(log.warnings()).isZero();
    }

    @Test
    void aCallWithAKeyOfAWrongTypeIsChargedByAllItsLimits() {
        Limit limit = Limit.tokenBucket(10).refill(1, Duration.ofHours(1));
        REDIS.send(Command.LPUSH, "test:{all}:two:l1:tb1", "not ours");

        assertThat(new Caller(store, "all", policy("two", limit, limit)).isAllowed()).isTrue();

        assertThat(REDIS.send(Command.TYPE, "test:{all}:two:l0:tb1")).hasToString("string");
        assertThat(REDIS.send(Command.TYPE, "test:{all}:two:l1:tb1")).hasToString("string");
    }

    @Test
    void errorFailsOnlyItsOwnRequest() throws Exception {
        CompletableFuture<List<CompletableFuture<StoreReply>>> requested = new CompletableFuture<>();
        REDIS.vertx.runOnContext(ignored -> requested.complete(IntStream.range(0, 10)
                .mapToObj(i -> (i == 3 ? failing("c3") : new Caller(store, "c" + i, 10)).decide()).toList()));

        List<CompletableFuture<StoreReply>> replies = requested.get();

        assertThat(replies.get(3)).failsWithin(SECOND).withThrowableThat().withMessageContaining("too short");
        assertThat(replies.get(9)).succeedsWithin(SECOND);
        assertThat(replies.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(1);
        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void eachFailedRequestHasItsOwnError() throws Exception {
        CompletableFuture<List<CompletableFuture<StoreReply>>> requested = new CompletableFuture<>();
        REDIS.vertx.runOnContext(ignored -> requested.complete(
                Stream.of(failing("e0"), new Caller(store, "e1", 10), ofUnknownFunction("e2"), new Caller(store, "e3", 10))
                        .map(Caller::decide).toList()));

        List<CompletableFuture<StoreReply>> replies = requested.get();

        assertThat(replies.get(0)).failsWithin(SECOND).withThrowableThat().withMessageContaining("too short");
        assertThat(replies.get(1)).succeedsWithin(SECOND);
        assertThat(replies.get(2)).failsWithin(SECOND).withThrowableThat().withMessageContaining("attempt to call");
        assertThat(replies.get(3)).succeedsWithin(SECOND);
    }

    @Test
    void requestThatCannotBeSentFailsItsBatchAndIsNoOutage() throws Exception {
        Operation unpackable = new PlainOperation(ScriptFile.RESET, () -> {
            throw new IllegalArgumentException("cannot be packed");
        }, (stored, now) -> OperationResult.unchanged());
        CompletableFuture<List<CompletableFuture<StoreReply>>> requested = new CompletableFuture<>();
        REDIS.vertx.runOnContext(ignored -> requested.complete(IntStream.range(0, 10)
                .mapToObj(i -> (i == 3 ? new Caller(store, operation("plenty", "s3", unpackable))
                        : new Caller(store, "s" + i, 10)).decide())
                .toList()));

        List<CompletableFuture<StoreReply>> replies = requested.get();

        assertThat(replies).allSatisfy(reply -> assertThat(reply).failsWithin(SECOND).withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class).withMessageContaining("cannot be packed"));
        assertThat(new Caller(store, "s9", 10).isAllowed()).isTrue();
        assertThat(log.warnings()).isZero();
    }

    @Test
    void replyThatCannotBeReadFailsAtOnce() throws Exception {
        CompletableFuture<List<CompletableFuture<StoreReply>>> requested = new CompletableFuture<>();
        REDIS.vertx.runOnContext(ignored -> requested.complete(IntStream.range(0, 10)
                .mapToObj(i -> (i == 3 ? unreadable("u3") : new Caller(store, "u" + i, 10)).decide()).toList()));

        List<CompletableFuture<StoreReply>> replies = requested.get();

        assertThat(CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]))).failsWithin(SECOND)
                .withThrowableThat().withMessageContaining("impossible");
        assertThat(replies.get(0)).succeedsWithin(SECOND);
        assertThat(new Caller(store, "later", 10).isAllowed()).isTrue();
        assertThat(log.warnings()).as("an outage").isZero();
    }

    /** A caller for whom Redis decides, but whose reply is not understood. */
    private Caller unreadable(String name) {
        LimitOperation sound = new Caller(store, name, 10).request.operations().get(0);
        return new Caller(store, new StoreRequest(
                List.of(new LimitOperation(sound.key(), new Unusual(sound.operation()) {

                    @Override
                    public LimitReply reply(long granted, long first, long second, long third, long fourth) {
                        throw new ArithmeticException("impossible");
                    }
                }))));
    }

    @Test
    void aCallThatFailsIsChargedNowhere() {
        assertThat(failing("nowhere").failure()).isNotNull();

        assertThat(REDIS.send(Command.EXISTS, "test:{nowhere}:plenty:l0:tb1").toInteger()).isZero();
    }

    /** A caller of two limits, the second of which fails in the script. */
    private Caller failing(String name) {
        LimitOperation sound = new Caller(store, name, 10).request.operations().get(0);
        return new Caller(store, new StoreRequest(List.of(sound,
                StoreRequests.operation("plenty", "l1:tb1", name, new CutShort(sound.operation())))));
    }

    /** A caller of a limit whose function the script does not have. */
    private Caller ofUnknownFunction(String name) {
        LimitOperation sound = new Caller(store, name, 10).request.operations().get(0);
        return new Caller(store, new StoreRequest(List.of(new LimitOperation(sound.key(), new Unusual(sound.operation()) {

            @Override
            public ScriptFile function() {
                return ScriptFile.SLIDING_LOG_ACQUIRE;
            }
        }))));
    }

    @Test
    void fullMemoryFailsWhatMustBeWrittenAndIsLoggedOnce() {
        Caller denied = new Caller(store, "denied", 1);
        assertThat(denied.isAllowed()).isTrue();
        Caller caller = new Caller(store, "memory", 1_000_000);
        REDIS.send(Command.CONFIG, "SET", "maxmemory", "1");
        try {
            IntStream.range(0, 20).forEach(i -> {
                assertThat(caller.failure()).hasMessageContaining("OOM");
                assertThat(denied.failure()).isNull();
            });
            assertThat(log.warnings()).isEqualTo(1);
            assertThat(log.infos()).isZero();
        } finally {
            REDIS.send(Command.CONFIG, "SET", "maxmemory", "0");
        }
        assertThat(caller.failure()).isNull();
        await().until(() -> caller.failure() == null && log.infos() == 1);
    }

    @Test
    void replicaIsLeftForAnotherConnectionUntilItIsAMasterAgain() {
        Caller caller = new Caller(store, "replica", 1_000_000);
        REDIS.send(Command.REPLICAOF, "127.0.0.1", "1");
        try {
            assertThat(caller.failure()).hasMessageContaining("READONLY");
            assertThat(Stream.generate(caller::failure).limit(200)).doesNotContainNull();
        } finally {
            REDIS.send(Command.REPLICAOF, "NO", "ONE");
        }

        assertThat(caller.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND);
        assertThat(log.warnings()).isEqualTo(1);
    }

    @Test
    void replicaIsLeftAlsoIfAnotherRequestOfTheBatchFailsForAnotherReason() throws Exception {
        Context loop = REDIS.vertx.getOrCreateContext();
        Caller caller = new Caller(store, "mixed", 1_000_000);
        await().until(() -> isDecidedOn(loop, caller));
        REDIS.send(Command.REPLICAOF, "127.0.0.1", "1");
        try {
            assertThat(failureOn(loop, caller, failing("mixed"))).hasMessageContaining("Redis is unavailable");
        } finally {
            REDIS.send(Command.REPLICAOF, "NO", "ONE");
        }
    }

    /** Whether the queue of this event loop is connected, so that the reply arrives there. */
    private static boolean isDecidedOn(Context loop, Caller caller) throws Exception {
        CompletableFuture<Boolean> decided = new CompletableFuture<>();
        loop.runOnContext(ignored -> {
            Thread thread = Thread.currentThread();
            caller.decide().whenComplete((reply, failed) -> decided.complete(Thread.currentThread() == thread));
        });
        return decided.get(10, TimeUnit.SECONDS);
    }

    /** The failure of a call that follows the replies to these two, which are sent together. */
    private static Throwable failureOn(Context loop, Caller one, Caller other) throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        loop.runOnContext(ignored -> {
            one.decide();
            other.decide().whenComplete((reply, failed) -> loop.runOnContext(
                    later -> one.decide().whenComplete((next, last) -> failure.complete(last))));
        });
        return failure.get(10, TimeUnit.SECONDS);
    }

    @Test
    void missingAndWrongPasswordsFailUntilTheyAreRight() {
        REDIS.send(Command.CONFIG, "SET", "requirepass", "secret");
        try (RedisStore missing = REDIS.newStore(SECOND);
                RedisStore wrong = REDIS.newStore(() -> REDIS.newClient("redis://:wrong@127.0.0.1:" + REDIS.port()), SECOND);
                RedisStore right = REDIS.newStore(() -> REDIS.newClient("redis://:secret@127.0.0.1:" + REDIS.port()), SECOND)) {
            new Caller(right, "right", 1).timeToWork(Duration.ofSeconds(10));
            assertThat(new Caller(missing, "missing", 1).failure()).hasMessageContaining("unavailable");
            // the other queue of the store may be about to log it
            await().until(() -> log.warnings() == 1);
            assertThat(log.last()).contains("NOAUTH");
            assertThat(new Caller(wrong, "wrong", 1).failure()).hasMessageContaining("unavailable");
            await().until(() -> log.warnings() == 2);
            assertThat(Stream.generate(new Caller(missing, "missing", 1)::failure).limit(100)).doesNotContainNull();
            assertThat(log.warnings()).as("one of each store").isEqualTo(2);
        } finally {
            REDIS.send(Command.CONFIG, "SET", "requirepass", "");
        }
    }

    @Test
    void loadingServerFailsAtOnceAndIsUsedWithinASecond(@TempDir Path directory) {
        REDIS.send(Command.CONFIG, "SET", "dir", directory);
        REDIS.send(Command.CONFIG, "SET", "key-load-delay", "1000");
        REDIS.send(Command.CONFIG, "SET", "rdbcompression", "no");
        // three seconds
        REDIS.send(Command.DEBUG, "POPULATE", "3000", "key", "20000");
        Caller caller = new Caller(store, "loading", 10);
        Future<Response> loaded = REDIS.newClient().send(Request.cmd(Command.DEBUG).arg("RELOAD"));

        await().pollInterval(OFTEN).until(() -> caller.failure() != null);
        await().pollInterval(OFTEN).until(() -> loaded.isComplete() || caller.timeToFail().compareTo(SECOND) < 0);
        assertThat(loaded.isComplete()).isFalse();

        await().until(loaded::succeeded);
        assertThat(caller.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND);
        assertThat(log.warnings()).isEqualTo(1);
        REDIS.send(Command.FLUSHALL);
    }

    @Test
    void scriptThatRunsForTooLongElsewhereDoesNotHoldUsUp() {
        REDIS.send(Command.CONFIG, "SET", "lua-time-limit", "1");
        Caller caller = new Caller(store, "busy", 10);
        REDIS.newClient().connect().onSuccess(other -> other.send(Request.cmd(Command.EVAL)
                .arg("while true do end").arg(0)));
        try {
            await().until(() -> caller.failure() != null);
            assertThat(caller.timeToFail()).isLessThan(SECOND);
        } finally {
            REDIS.send(Command.SCRIPT, "KILL");
        }
        assertThat(caller.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND);
    }

    /** An operation whose function gets too few arguments. */
    private static final class CutShort extends Unusual {

        CutShort(Operation operation) {
            super(operation);
        }

        @Override
        public byte[] arguments(long now) {
            return Arrays.copyOf(super.arguments(now), 1);
        }
    }

    /** An operation with a mistake in one method. */
    private static class Unusual implements Operation {

        private final Operation operation;

        Unusual(Operation operation) {
            this.operation = operation;
        }

        @Override
        public ScriptFile function() {
            return operation.function();
        }

        @Override
        public long files() {
            return operation.files();
        }

        @Override
        public byte[] arguments(long now) {
            return operation.arguments(now);
        }

        @Override
        public LimitReply reply(long granted, long first, long second, long third, long fourth) {
            return operation.reply(granted, first, second, third, fourth);
        }

        @Override
        public OperationResult decide(Object stored, long now, long cost, List<LimitReply> before) {
            return operation.decide(stored, now, cost, before);
        }
    }
}
