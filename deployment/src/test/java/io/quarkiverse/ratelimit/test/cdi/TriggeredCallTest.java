package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.runtime.Startup;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Calls made by the container count too: at the start, by events and by timers. */
class TriggeredCallTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(LimitAssertions.class))
            .overrideConfigKey("quarkus.rate-limit.timeout", "5s")
            .overrideConfigKey("quarkus.rate-limit.policies.two.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.two.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.two.key", "method");

    @Inject
    Jobs jobs;

    @Inject
    Caller caller;

    @Inject
    Event<String> events;

    @Inject
    BlockingTicks blockingTicks;

    @Inject
    AsyncTicks asyncTicks;

    @Test
    void callsAtTheStartAreCounted() {
        assertThat(caller.started).isTrue();
        assertAllows(1, jobs::atStart);
        assertAllows(1, jobs::onStartup);
    }

    @Test
    void observersAreLimited() {
        assertAllows(2, () -> events.fire("event"));
    }

    @Test
    void timersAreDeniedLikeOtherCallers() {
        Awaitility.await().atMost(Duration.ofSeconds(20))
                .until(() -> blockingTicks.count.get() > 3 && asyncTicks.count.get() > 3);

        assertThat(jobs.blockingRuns).hasValue(2);
        assertThat(jobs.asyncRuns).hasValue(2);
    }

    public abstract static class Ticks implements Scheduled.SkipPredicate {

        final AtomicInteger count = new AtomicInteger();

        @Override
        public boolean test(ScheduledExecution execution) {
            count.incrementAndGet();
            return false;
        }
    }

    @Singleton
    public static class BlockingTicks extends Ticks {
    }

    @Singleton
    public static class AsyncTicks extends Ticks {
    }

    @Singleton
    public static class Caller {

        boolean started;

        void start(@Observes StartupEvent event, Jobs jobs) {
            jobs.atStart();
            started = true;
        }
    }

    @Singleton
    @RateLimited("two")
    public static class Jobs {

        final AtomicInteger blockingRuns = new AtomicInteger();
        final AtomicInteger asyncRuns = new AtomicInteger();

        public void atStart() {
        }

        @Startup
        void onStartup() {
        }

        void observe(@Observes String event) {
        }

        @Scheduled(every = "1s", skipExecutionIf = BlockingTicks.class)
        void blocking() {
            blockingRuns.incrementAndGet();
        }

        @Scheduled(every = "1s", skipExecutionIf = AsyncTicks.class)
        Uni<Void> async() {
            asyncRuns.incrementAndGet();
            return Uni.createFrom().voidItem();
        }
    }
}
