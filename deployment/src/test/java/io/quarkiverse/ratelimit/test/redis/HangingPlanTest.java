package io.quarkiverse.ratelimit.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** A plan's resolver that hangs and a Redis that does not reply cost a limiter in code one timeout together. */
class HangingPlanTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest().withApplicationRoot(jar -> jar.addClasses(Hanging.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "2s")
            .overrideConfigKey("quarkus.rate-limit.policies.users.permits", "100")
            .overrideConfigKey("quarkus.rate-limit.policies.users.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.users.plan", "bean:hanging");

    @Inject
    @RateLimitPolicy("users")
    RateLimiter users;

    @Inject
    RedisDataSource redis;

    @ApplicationScoped
    @Identifier("hanging")
    public static class Hanging implements RateLimitPlanResolver {

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            return Uni.createFrom().nothing();
        }
    }

    @Test
    void callWaitsForOneTimeout() throws Exception {
        RateLimiter alice = users.forKey("alice");

        await().atMost(Duration.ofSeconds(30)).until(() -> alice.tryAcquire().source() == Source.REDIS);
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
}
