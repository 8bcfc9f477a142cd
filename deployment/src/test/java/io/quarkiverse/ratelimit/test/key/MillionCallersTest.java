package io.quarkiverse.ratelimit.test.key;

import static io.quarkiverse.ratelimit.test.key.fixtures.ManyCalls.assertThatNothingIsKept;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.key.fixtures.ManyCalls;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A million callers leave nothing in the application, and nothing in Redis once all their permits are back. */
@Tag("slow")
class MillionCallersTest {

    private static final int MILLION = 1_000_000;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Service.class, ManyCalls.class))
            .withConfiguration("""
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.many.permits=10
                    quarkus.rate-limit.policies.many.period=1s
                    """);

    @Inject
    Service service;

    @Inject
    RedisDataSource redis;

    @Test
    void millionCallersLeaveNothingBehind() {
        redis.flushall();

        assertThatNothingIsKept(MILLION / ManyCalls.ROUNDS_WITHOUT_GROWTH, caller -> service.call("caller " + caller));

        await().atMost(Duration.ofSeconds(60)).until(() -> redis.execute("DBSIZE").toInteger() == 0);
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("many")
        Uni<String> call(@RateLimitKey String user) {
            return Uni.createFrom().item("done");
        }
    }
}
