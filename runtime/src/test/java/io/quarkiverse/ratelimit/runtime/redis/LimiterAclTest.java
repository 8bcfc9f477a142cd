package io.quarkiverse.ratelimit.runtime.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Act;
import io.quarkiverse.ratelimit.runtime.algorithm.Call;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.Manner;
import io.quarkiverse.ratelimit.runtime.store.Ask;
import io.quarkiverse.ratelimit.runtime.store.Question;
import io.quarkiverse.ratelimit.runtime.store.Step;
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

    @Test
    void whatRunsAtTheSameTimeNeedsSortedSets() {
        List<String> commands = List.of("+evalsha", "+eval", "+time", "+zcount", "+zscore", "+zrange", "+zadd", "+zrem",
                "+zremrangebyscore", "+pexpire", "+del");
        LimitRule rule = LimitRule.of(Limit.concurrency(1));
        REDIS.send(Command.SET, "test:{sets}:p:l", "not ours");
        try (RedisStore store = storeOf("sets", commands)) {
            for (int call = 1; call <= 3; call++) {
                assertThat(new Caller(store, question(rule.take(new Call(1, Manner.TAKE, call)))).isAdmitted()).isTrue();
                assertThat(new Caller(store, question(rule.giveBack(null, 0, 1, call))).isAdmitted()).isTrue();
            }
        }
    }

    private static Question question(Act act) {
        return new Question(List.of(new Ask("p", false, "sets", List.of(new Step("l", act)))));
    }

    private static boolean works(String user, List<String> commands) {
        try (RedisStore store = storeOf(user, commands)) {
            Caller caller = new Caller(store, user, 10);
            return caller.isAdmitted() && caller.isAdmitted();
        }
    }

    private static RedisStore storeOf(String user, List<String> commands) {
        List<Object> rules = new ArrayList<>(List.of("SETUSER", user, "on", ">secret", "~test:*"));
        rules.addAll(commands);
        REDIS.send(Command.ACL, rules.toArray());
        REDIS.send(Command.SCRIPT, "FLUSH");
        String address = "redis://" + user + ":secret@127.0.0.1:" + REDIS.port();
        return REDIS.newStore(() -> REDIS.newClient(address), Duration.ofSeconds(2));
    }
}
