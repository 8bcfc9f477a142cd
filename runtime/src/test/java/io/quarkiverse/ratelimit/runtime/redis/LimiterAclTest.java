package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.vertx.redis.client.Command;

/** The commands that the limiter's user needs are those that are documented, and no others. */
class LimiterAclTest {

    private static final List<String> NEEDED = List.of("+evalsha", "+eval", "+time", "+get", "+set");

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    @Test
    void theDocumentedCommandsAreEnough() {
        assertThat(works("enough", NEEDED)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "+evalsha", "+eval", "+time", "+get", "+set" })
    void noneOfThemCanBeLeftOut(String command) {
        List<String> fewer = new ArrayList<>(NEEDED);
        fewer.remove(command);

        assertThat(works("without" + command.substring(1), fewer)).isFalse();
    }

    private static boolean works(String user, List<String> commands) {
        List<Object> rules = new ArrayList<>(List.of("SETUSER", user, "on", ">secret", "~test:*"));
        rules.addAll(commands);
        REDIS.send(Command.ACL, rules.toArray());
        REDIS.send(Command.SCRIPT, "FLUSH");
        String address = "redis://" + user + ":secret@127.0.0.1:" + REDIS.port();
        try (RedisStore store = REDIS.newStore(() -> REDIS.newClient(address), Duration.ofSeconds(2))) {
            Caller caller = new Caller(store, user, 10);
            return caller.isAdmitted() && caller.isAdmitted();
        }
    }
}
