package io.quarkiverse.ratelimit.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.client.RedisOptionsCustomizer;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;

/**
 * A customizer of the application changes the options of each new connection of the limiter. A plan's resolver that hangs and a
 * Redis that does not reply cost a limiter in code one timeout together.
 */
@TestMethodOrder(OrderAnnotation.class)
class RedisOutagesTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Address.class, Hanging.class))
            .withConfiguration("""
                    quarkus.redis.other.hosts=${quarkus.redis.hosts}
                    quarkus.rate-limit.timeout=2s
                    quarkus.rate-limit.policies.three.permits=3
                    quarkus.rate-limit.policies.three.period=1h
                    quarkus.rate-limit.policies.three.key=global
                    quarkus.rate-limit.policies.users.permits=100
                    quarkus.rate-limit.policies.users.period=1h
                    quarkus.rate-limit.policies.users.plan=bean:hanging
                    """);

    @Inject
    @RateLimitPolicy("three")
    RateLimiter three;

    @Inject
    @RateLimitPolicy("users")
    RateLimiter users;

    @Inject
    @RedisClientName("other")
    RedisDataSource redis;

    @Inject
    Address address;

    @Test
    @Order(1)
    void nextConnectionUsesTheOptionsOfThatMoment() {
        assertThat(three.peek().source()).isEqualTo(Source.FALLBACK);

        address.isWrong = false;

        await().atMost(SOON).until(() -> three.peek().source() == Source.REDIS);
        assertThat(address.seen).isNotEmpty().allSatisfy(options -> {
            assertThat(options.getType()).isEqualTo(RedisClientType.STANDALONE);
            assertThat(options.getEndpoints()).hasSize(1);
        });
    }

    @Test
    void callWaitsForOneTimeout() throws Exception {
        address.isWrong = false;
        RateLimiter alice = users.forKey("alice");

        await().atMost(SOON).until(() -> alice.tryAcquire().source() == Source.REDIS);
        String pid = redis.execute("INFO", "server").toString().replaceAll("(?s).*process_id:(\\d+).*", "$1");
        signal("STOP", pid);
        try {
            List.of(timed(alice::tryAcquire), timed(() -> alice.reserve(1).decision()))
                    .forEach(time -> assertThat(time.join()).isBetween(
                            TIMEOUT.multipliedBy(4).dividedBy(5),
                            TIMEOUT.multipliedBy(16).dividedBy(10)));
        } finally {
            signal("CONT", pid);
        }
    }

    /** How long a call takes that begins now on another thread, and uses the fallback. */
    private static CompletableFuture<Duration> timed(Supplier<RateLimitDecision> call) {
        return CompletableFuture.supplyAsync(() -> {
            long began = System.nanoTime();
            assertThat(call.get().source()).isEqualTo(Source.FALLBACK);
            return Duration.ofNanos(System.nanoTime() - began);
        }, command -> new Thread(command).start());
    }

    private static void signal(String name, String pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }

    @ApplicationScoped
    @Identifier("hanging")
    public static class Hanging implements RateLimitPlanResolver {

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            return Uni.createFrom().nothing();
        }
    }

    @Singleton
    public static class Address implements RedisOptionsCustomizer {

        private final List<RedisOptions> seen = new CopyOnWriteArrayList<>();
        private volatile boolean isWrong = true;

        @Override
        public void customize(String clientName, RedisOptions options) {
            if (clientName.equals("other")) {
                return;
            }
            seen.add(options);
            if (isWrong) {
                options.setConnectionString("redis://127.0.0.1:1");
            }
        }
    }
}
