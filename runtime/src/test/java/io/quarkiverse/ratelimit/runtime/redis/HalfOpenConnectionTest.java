package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A dead connection is detected because no reply arrives, and connecting takes a bounded time. */
@Tag("slow")
class HalfOpenConnectionTest {

    private static final Duration TIMEOUT = Duration.ofMillis(250);
    private static final Duration MARGIN = Duration.ofMillis(500);
    private static final Duration SECOND = Duration.ofSeconds(1);

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void deadConnectionIsNoticedWithinOneTimeoutAndReplacedWithinASecond() {
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
                RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT)) {
            Caller caller = new Caller(store, "caller", 1_000);
            caller.timeToWork(Duration.ofSeconds(10));

            proxy.swallow();

            assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));
            // the first call may have used the connection of another event loop
            await().atMost(SECOND).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);
            await().during(SECOND).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);

            proxy.recover();

            assertThat(caller.timeToWork(SECOND.multipliedBy(2))).isLessThan(SECOND.plus(MARGIN));
        }
    }

    @Test
    void redisThatRepliesTooLateCostsOneTimeoutUntilItRepliesInTime() {
        try (TcpProxy proxy = new TcpProxy(REDIS.vertx, REDIS.port());
                RedisStore store = REDIS.newStore(() -> REDIS.newClient(proxy.address()), TIMEOUT);
                CapturedLog log = new CapturedLog()) {
            Caller caller = new Caller(store, "slow", 1_000_000);
            caller.timeToWork(Duration.ofSeconds(10));

            proxy.delay(TIMEOUT.multipliedBy(2));

            assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));
            await().during(SECOND.multipliedBy(2)).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);
            assertThat(log.warnings()).isEqualTo(1);
            assertThat(log.infos()).isZero();

            proxy.delay(Duration.ZERO);

            caller.timeToWork(Duration.ofSeconds(10));
        }
    }

    @Test
    void connectingToASilentServerCostsOneTimeoutAndNotMore() throws Exception {
        try (RedisStore warm = REDIS.newStore(TIMEOUT)) {
            new Caller(warm, "warm", 1).timeToWork(Duration.ofSeconds(10));
        }
        try (ServerSocket mute = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                RedisStore store = REDIS.newStore(
                        () -> REDIS.newClient("redis://127.0.0.1:" + mute.getLocalPort()), TIMEOUT)) {
            Caller caller = new Caller(store, "caller", 1_000);

            assertThat(caller.timeToFail()).isBetween(TIMEOUT, TIMEOUT.plus(MARGIN));

            await().during(SECOND).until(() -> caller.timeToFail().compareTo(TIMEOUT) < 0);
        }
    }
}
