package io.quarkiverse.ratelimit.runtime.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/** Commands of a connection that wait for replies. */
class ScriptConnectionTest {

    private final RedisConnection redis = (RedisConnection) Proxy.newProxyInstance(RedisConnection.class.getClassLoader(),
            new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
                throw new IllegalStateException("not sent");
            });
    private final ScriptConnection connection = new ScriptConnection(null, redis);

    @Test
    void commandThatCannotBeSentWaitsForNoReply() {
        assertThatThrownBy(() -> connection.send(Request.cmd(Command.PING))).hasMessage("not sent");

        assertThat(connection.isIdle()).isTrue();
        assertThat(connection.isSilent(System.nanoTime(), 0)).isFalse();
    }
}
