package io.quarkiverse.ratelimit.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.store.DenialStore;
import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RefusingProxy;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RefusingProxy.Call;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisOptions;

/** A server that refuses what a decision does not need decides, and is used again after an outage. */
class RedisStoreRefusedCommandsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(10);
    /** As Amazon ElastiCache Serverless replies. */
    private static final String NO_KEYS = "ERR Lua scripts without any input keys are not supported.";
    private static final Predicate<Call> IS_CHECK = call -> call.isScript() && call.words().get(1).equals("return 0");

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void decisionsAndAdministrationUseOnlyScriptsWithKeys() {
        try (RefusingProxy proxy = refusing(call -> !call.isScriptWithKeys() && !call.name().equals("HELLO"), NO_KEYS);
                RedisStore store = REDIS.newStore(proxy::newClient, TIMEOUT)) {
            assertDecidesBeforeAndAfterAnOutage(proxy, store);
            assertKeepsOverridesAndDenials(store);

            assertThat(proxy.calls()).extracting(Call::name).containsOnly("HELLO", "EVAL", "EVALSHA");
            assertThat(proxy.calls()).filteredOn(Call::isScript).allMatch(Call::isScriptWithKeys);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { NO_KEYS, "NOPERM this user has no permissions to run the 'eval' command",
            "ERR unknown command 'EVAL'", "MOVED 4242 127.0.0.1:1" })
    void anyReplyToTheCheckOfAConnectionMeansAlive(String error) {
        try (RefusingProxy proxy = refusing(IS_CHECK, error);
                RedisStore store = REDIS.newStore(proxy::newClient, TIMEOUT)) {
            assertDecidesBeforeAndAfterAnOutage(proxy, store);
            assertThat(proxy.calls()).as("the check was sent").anyMatch(IS_CHECK);
        }
    }

    @Test
    void serverWithoutHelloIsUsedWithTheOlderProtocol() {
        try (RefusingProxy proxy = refusing(call -> call.name().equals("HELLO"), "ERR unknown command 'HELLO'");
                RedisStore store = REDIS.newStore(proxy::newClient, TIMEOUT)) {
            assertDecidesBeforeAndAfterAnOutage(proxy, store);
            assertKeepsOverridesAndDenials(store);
        }
    }

    @Test
    void serverThatForbidsHelloNeedsNoProtocolNegotiation() {
        Predicate<Call> isHello = call -> call.name().equals("HELLO");
        try (RefusingProxy proxy = refusing(isHello, "NOPERM this user has no permissions to run the 'hello' command");
                RedisStore negotiating = REDIS.newStore(proxy::newClient, TIMEOUT);
                RedisStore store = REDIS.newStore(() -> Redis.createClient(REDIS.vertx, new RedisOptions()
                        .setConnectionString(proxy.address()).setProtocolNegotiation(false)), TIMEOUT)) {
            assertThat(new Caller(negotiating, "negotiating", 1).failure()).isNotNull();
            await().until(() -> log.warnings() == 1);
            assertThat(log.last()).contains("NOPERM").contains("hello");

            assertDecidesBeforeAndAfterAnOutage(proxy, store);
            assertKeepsOverridesAndDenials(store);
        }
    }

    @Test
    void serverThatRefusesTimeInScriptsIsReportedOnceWithTheRemedy() {
        REDIS.send(Command.ACL, "SETUSER", "timeless", "on", ">secret", "~*", "+@all", "-time");
        String address = "redis://timeless:secret@127.0.0.1:" + REDIS.port();
        try (RedisStore store = REDIS.newStore(() -> REDIS.newClient(address), TIMEOUT)) {
            Caller caller = new Caller(store, "timeless", 1_000_000);
            await().during(Duration.ofSeconds(1)).atMost(LONGEST).until(() -> caller.failure() != null);

            assertThat(log.warnings()).isEqualTo(1);
            assertThat(log.infos()).isZero();
            assertThat(log.last()).contains("does not allow TIME in scripts").contains("grant +time to the user");

            REDIS.send(Command.ACL, "SETUSER", "timeless", "+time");
            caller.timeToWork(LONGEST);
            await().until(() -> caller.failure() == null && log.infos() == 1);
        }
    }

    private void assertDecidesBeforeAndAfterAnOutage(RefusingProxy proxy, RedisStore store) {
        String name = "refused" + System.nanoTime();
        assertThat(new Caller(store, name, 1).isAllowed()).isTrue();
        assertThat(new Caller(store, name, 1).isAllowed()).isFalse();
        long warnings = log.warnings();

        Caller caller = new Caller(store, name + "-later", 1_000_000);
        proxy.cut();
        await().until(() -> caller.failure() != null && log.warnings() == warnings + 1);
        proxy.restore();

        caller.timeToWork(LONGEST);
        await().until(() -> caller.failure() == null && log.infos() == 1);
        assertThat(log.warnings()).isEqualTo(warnings + 1);
    }

    private static void assertKeepsOverridesAndDenials(RedisStore store) {
        OverrideStore overrides = new RedisOverrides(store, "test");
        overrides.put("name", "text", Duration.ofDays(1)).await().atMost(TIMEOUT);
        assertThat(overrides.changedSince("", 0).await().atMost(TIMEOUT).texts()).containsKey("name");
        overrides.remove("name").await().atMost(TIMEOUT);
        DenialStore denials = new RedisDenials(store, "test");
        denials.add("refused", 4, Map.of("ip=a", 3L, "ip=b", 1L)).await().atMost(TIMEOUT);
        assertThat(denials.most("refused", 1).await().atMost(TIMEOUT)).hasSize(1);
    }

    private static RefusingProxy refusing(Predicate<Call> refused, String error) {
        return new RefusingProxy(REDIS.vertx, REDIS.port(), refused, error);
    }
}
