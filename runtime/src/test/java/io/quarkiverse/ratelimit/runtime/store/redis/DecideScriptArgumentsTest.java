package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.operation;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitRule;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.Penalty;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.redis.connection.RedisConnector;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** The script reads all of the packed arguments that Java sends. */
class DecideScriptArgumentsTest {

    @RegisterExtension
    static final RealRedis REDIS = RealRedis.withOtherKeys();
    private static final Duration HOUR = Duration.ofHours(1);
    /** Stores how many bytes of the arguments the last call of {@code struct.unpack} has left, per function. */
    private static final String RECORDING = """
            local struct = { pack = struct.pack, size = struct.size, original = struct.unpack }
            struct.unpack = function(format, packed, position)
              local values = { struct.original(format, packed, position) }
              if packed == ARGV[4] then
                redis.call('HSET', 'left', ARGV[3], #packed + 1 - values[#values])
              end
              return unpack(values)
            end
            """;

    @Test
    void scriptsReadAllBytesOfTheirArguments() {
        List<Operation> operations = operations();
        DecideScript script = new DecideScript("test", Clock.systemUTC()) {
            @Override
            public String text(long files) {
                return RECORDING + super.text(files);
            }
        };
        try (RedisStore store = RedisStore.single(REDIS.vertx, RedisConnector.to(REDIS::newClient),
                Duration.ofSeconds(10), script)) {
            for (Operation operation : operations) {
                REDIS.send(Command.DEL, "left");

                store.decide(operation("policy", operation.function().path, operation)).await()
                        .atMost(Duration.ofSeconds(10));

                String function = operation.function().path;
                Response left = REDIS.send(Command.HGET, "left", function);
                assertThat(left).as(function).isNotNull().hasToString("0");
            }
        }
    }

    private static List<Operation> operations() {
        List<Operation> operations = new ArrayList<>();
        for (Limit limit : List.of(Limit.tokenBucket(9).refill(7, HOUR), Limit.fixedWindow(9, HOUR),
                Limit.fixedWindow(9, CalendarPeriod.DAY), Limit.slidingWindow(9, HOUR), Limit.slidingLog(9, HOUR),
                Limit.concurrency(9))) {
            LimitRule rule = PolicyLimit.ruleOf(limit);
            operations.add(rule.acquire(new PermitRequest(1, OperationKind.ACQUIRE, 1)));
            operations.add(rule.acquire(new PermitRequest(1, OperationKind.ACQUIRE, 1).asRefundable()));
            operations.add(
                    rule.refund(new LimitUsage("l0", limit, true, 9, 8, Duration.ZERO, Duration.ZERO, HOUR, HOUR), 1, 1, 1));
        }
        operations.add(new Penalty(3, HOUR, HOUR, HOUR).blockedFor(() -> 7).apply(OperationKind.ACQUIRE, 0));
        Set<String> functions = operations.stream().map(operation -> operation.function().path).collect(Collectors.toSet());
        assertThat(functions).hasSize(12);
        return operations;
    }
}
