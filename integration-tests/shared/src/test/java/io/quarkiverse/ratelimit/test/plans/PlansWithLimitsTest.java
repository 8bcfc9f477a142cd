package io.quarkiverse.ratelimit.test.plans;

import static io.quarkiverse.ratelimit.test.fixtures.Users.left;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** A bean of the application returns limits, which change while the application runs. */
@QuarkusTest
class PlansWithLimitsTest {

    private static final Duration LONG = Duration.ofHours(10);

    private static final String MISNAMED = "The RateLimitPlanResolver \"misnamed\" returned a plan that does not fit: Policy"
            + " table-misnamed has no limit \"week\". Its limits: [default]. Correct the name. It is ignored.";
    private static final String SEVERAL = "The RateLimitPlanResolver \"several\" returned a plan that does not fit: Policy"
            + " table-several has several limits: [day, hour]. Give a map of limits by name. It is ignored.";
    private static final String FAILING = "The RateLimitPlanResolver \"database\" fails with java.lang.IllegalStateException."
            + " Its result is ignored. Enable DEBUG for details.";

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
            && record.getLoggerName().equals("io.quarkiverse.ratelimit"),
            records -> assertThat(warnings()).doesNotHaveDuplicates().isSubsetOf(MISNAMED, SEVERAL, FAILING));

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    LimiterClock clock;

    private static List<String> warnings() {
        return LOG.records().stream().map(record -> String.format(record.getMessage(), record.getParameters())).toList();
    }

    @AfterEach
    void now() {
        clock.reset();
    }

    @Test
    void changedLimitTakesEffectAtOnceAndCarriesOverWhatIsInUse() {
        Database.returns("raised", RateLimitPlan.of(bucket(10)));
        IntStream.rangeClosed(1, 10).forEach(call -> assertThat(left(of("raised", "one"))).isEqualTo(10 - call + "/10"));
        assertThat(of("raised", "one").statusCode()).isEqualTo(429);

        Database.returns("raised", RateLimitPlan.of(bucket(1_000)));
        assertThat(left(of("raised", "one"))).isEqualTo("989/1000");

        Database.returns("raised", RateLimitPlan.of(Map.of("default", bucket(5))));
        assertThat(of("raised", "one").statusCode()).isEqualTo(429);

        Database.returns("raised", RateLimitPlan.of(Limit.fixedWindow(3, Duration.ofDays(366))));
        assertThat(left(of("raised", "one"))).as("another algorithm").isEqualTo("2/3");

        Database.returns("raised", null);
        assertThat(of("raised", "one").statusCode()).as("the first algorithm, whose key still says what is used")
                .isEqualTo(429);
    }

    @Test
    void mapReplacesLimitsByName() {
        Database.returns("mapped", RateLimitPlan.of(Map.of("day", bucket(50))));

        assertThat(of("mapped", "several").header("RateLimit-Policy")).isEqualTo(
                "\"table-several.day\";q=50;w=36000, \"table-several.hour\";q=10;w=36000");
        assertThat(admin.policy("table-several").forKey("mapped").limits())
                .isEqualTo(Map.of("day", bucket(50), "hour", bucket(10)));
    }

    @Test
    void planThatDoesNotFitLeavesThePolicysOwnLimits() {
        Database.returns("unfit", RateLimitPlan.of(bucket(50)));

        assertThat(left(of("unfit", "misnamed"))).isEqualTo("9/10");
        assertThat(of("unfit", "several").header("RateLimit-Policy")).contains("q=100").contains("q=10;")
                .doesNotContain("q=50");
        assertThat(admin.policy("table-misnamed").forKey("unfit").limits()).isEqualTo(Map.of("default", bucket(10)));
        assertThat(warnings()).contains(MISNAMED, SEVERAL);
    }

    @Test
    void callsOfAnUnlimitedPlanAreNotCounted() {
        Database.returns("partner", RateLimitPlan.of(bucket(3)));
        assertThat(left(of("partner", "one"))).isEqualTo("2/3");

        Database.returns("partner", RateLimitPlan.unlimited());
        for (int call = 1; call <= 5; call++) {
            assertThat(of("partner", "one").header("RateLimit")).isNull();
        }
        assertThat(limiters.get("table-one").forKey("partner").tryAcquire().source()).isEqualTo(Source.NOT_LIMITED);
        assertThat(admin.policy("table-one").forKey("partner").limits()).isEmpty();

        Database.returns("partner", RateLimitPlan.of(bucket(3)));
        assertThat(left(of("partner", "one"))).isEqualTo("1/3");
    }

    @Test
    void overrideForTheKeyWinsAndThenThePlan() {
        Database.returns("overridden", RateLimitPlan.of(bucket(30)));
        admin.policy("table-one").override(bucket(7));
        assertThat(left(of("overridden", "one"))).isEqualTo("29/30");

        admin.policy("table-one").forKey("overridden").override(bucket(70));
        assertThat(left(of("overridden", "one"))).isEqualTo("68/70");
        assertThat(admin.policy("table-one").forKey("overridden").limits()).isEqualTo(Map.of("default", bucket(70)));
        Database.returns("overridden", RateLimitPlan.unlimited());
        assertThat(left(of("overridden", "one"))).isEqualTo("67/70");

        admin.policy("table-one").removeOverride();
        admin.policy("table-one").forKey("overridden").removeOverride();
    }

    @Test
    void keptLimiterSeesTheChange() {
        RateLimiter limiter = limiters.get("table-one").forKey("kept");
        Database.returns("kept", RateLimitPlan.of(bucket(20)));
        assertThat(limiter.tryAcquire(8)).returns(12L, RateLimitDecision::remaining);

        Database.returns("kept", RateLimitPlan.of(bucket(100)));
        assertThat(limiter.peek()).returns(92L, RateLimitDecision::remaining).returns(100L, RateLimitDecision::permits);
        assertThat(limiter.charge(2)).returns(90L, RateLimitDecision::remaining);
        assertThat(limiter.tryAcquireUpTo(1_000)).returns(90L, RateLimitDecision::granted);
        assertThat(admin.policy("table-one").forKey("kept").limits()).isEqualTo(Map.of("default", bucket(100)));
        assertThat(admin.policy("table-one").limits()).isEqualTo(Map.of("default", bucket(10)));
    }

    @Test
    void reservationIsSettledAcrossAChange() {
        RateLimiter limiter = limiters.get("table-one").forKey("reserved");
        Database.returns("reserved", RateLimitPlan.of(bucket(100)));
        var reservation = limiter.reserve(60);

        Database.returns("reserved", RateLimitPlan.of(bucket(1_000)));
        reservation.settle(70);
        assertThat(limiter.peek()).returns(930L, RateLimitDecision::remaining);

        var other = limiter.reserve(500);
        Database.returns("reserved", RateLimitPlan.of(bucket(200)));
        other.cancel();
        assertThat(limiter.peek()).returns(130L, RateLimitDecision::remaining);
    }

    @Test
    void planMayDelay() {
        Database.returns("paced",
                RateLimitPlan.of(Limit.tokenBucket(1).refill(1, Duration.ofMillis(200)).maxWait(Duration.ofSeconds(10))));

        assertThat(of("paced", "one").statusCode()).isEqualTo(200);
        assertThat(of("paced", "one").statusCode()).isEqualTo(200);
        assertThat(limiters.get("table-one").forKey("paced").tryAcquire()).returns(true, RateLimitDecision::allowed);
    }

    @Test
    void planMayLimitConcurrency() {
        Database.returns("parallel", RateLimitPlan.of(Limit.concurrency(1)));

        for (int call = 1; call <= 3; call++) {
            // an event loop that changes to its own connection to Redis may overtake one release
            await().until(() -> of("parallel", "one").statusCode() == 200);
        }
        RateLimiter limiter = limiters.get("table-one").forKey("parallel");
        AtomicReference<RateLimitReservation> held = new AtomicReference<>();
        await().until(() -> {
            held.set(limiter.reserve(1));
            return held.get().decision().allowed();
        });
        assertThat(of("parallel", "one").statusCode()).isEqualTo(429);
        held.get().cancel();
        assertThat(of("parallel", "one").statusCode()).isEqualTo(200);
        assertThatThrownBy(limiter::tryAcquire).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageStartingWith("Policy table-one limits concurrency");
    }

    @Test
    void routeAndAnnotationCountOnce() {
        Database.returns("routed", RateLimitPlan.of(bucket(3)));

        for (int left = 2; left >= 0; left--) {
            assertThat(left(of("routed", "routed"))).isEqualTo(left + "/3");
        }
        assertThat(of("routed", "routed").statusCode()).isEqualTo(429);
    }

    @Test
    void cachedPlanAppliesUntilItsTimeIsOver() {
        Database.returns("cached", RateLimitPlan.of(bucket(20)));
        assertThat(left(of("cached", "cached"))).isEqualTo("19/20");

        Database.returns("cached", RateLimitPlan.of(bucket(50)));
        assertThat(left(of("cached", "cached"))).isEqualTo("18/20");
        assertThat(Database.calls("cached")).isEqualTo(1);
        assertThat(admin.policy("table-cached").forKey("cached").limits()).isEqualTo(Map.of("default", bucket(20)));
        assertThat(limiters.get("table-cached").forKey("cached").peek()).as("code has a plan of its own")
                .returns(50L, RateLimitDecision::permits);
        assertThat(left(of("cached", "one"))).as("the other policy has no cache").isEqualTo("49/50");

        clock.advance(Duration.ofSeconds(30));
        assertThat(of("cached", "cached").header("X-RateLimit-Limit")).isEqualTo("50");
    }

    @Test
    void lastKnownPlanAppliesWhileTheBeanFails() {
        Database.returns("down", RateLimitPlan.of(bucket(20)));
        assertThat(left(of("down", "cached"))).isEqualTo("19/20");

        Database.PLANS.put("down", Uni.createFrom().failure(new IllegalStateException("on purpose")));
        clock.advance(Duration.ofSeconds(30));
        for (int call = 1; call <= 3; call++) {
            assertThat(of("down", "cached").header("X-RateLimit-Limit")).isEqualTo("20");
        }
        assertThat(Database.calls("down")).isEqualTo(2);
        assertThat(of("down", "one").header("X-RateLimit-Limit")).as("without a cache").isEqualTo("10");
        assertThat(warnings()).contains(FAILING);

        Database.returns("down", RateLimitPlan.of(bucket(30)));
        clock.advance(Duration.ofSeconds(1));
        assertThat(of("down", "cached").header("X-RateLimit-Limit")).isEqualTo("30");
    }

    private static Limit bucket(long permits) {
        return Limit.tokenBucket(permits).refill(permits, LONG);
    }

    private static Response of(String tenant, String path) {
        return given().header("X-Tenant", tenant).get("/table/" + path);
    }

    @Path("/table")
    public static class Resource {

        @GET
        @Path("one")
        @RateLimited("table-one")
        public String one() {
            return "ok";
        }

        @GET
        @Path("several")
        @RateLimited("table-several")
        public String several() {
            return "ok";
        }

        @GET
        @Path("misnamed")
        @RateLimited("table-misnamed")
        public String misnamed() {
            return "ok";
        }

        @GET
        @Path("cached")
        @RateLimited("table-cached")
        public String cached() {
            return "ok";
        }

        @GET
        @Path("routed")
        @RateLimited("table-routed")
        public String routed() {
            return "ok";
        }
    }

    /** Stands for a table, with one plan per tenant. */
    @ApplicationScoped
    @Identifier("database")
    public static class Database implements RateLimitPlanResolver {

        static final Map<String, Uni<RateLimitPlan>> PLANS = new ConcurrentHashMap<>();
        static final Map<String, AtomicInteger> CALLS = new ConcurrentHashMap<>();

        static void returns(String tenant, RateLimitPlan plan) {
            PLANS.put(tenant, Uni.createFrom().item(plan));
        }

        static int calls(String tenant) {
            return CALLS.get(tenant).get();
        }

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            String tenant = call.key() == null ? call.header("X-Tenant") : call.key().get(0);
            CALLS.computeIfAbsent(tenant, first -> new AtomicInteger()).incrementAndGet();
            return PLANS.get(tenant);
        }
    }

    public static class Unfit {

        @Produces
        @Singleton
        @Identifier("misnamed")
        RateLimitPlanResolver misnamed() {
            return call -> Uni.createFrom().item(RateLimitPlan.of(Map.of("week", bucket(50))));
        }

        /** Fits only where the table has a map. */
        @Produces
        @Singleton
        @Identifier("several")
        RateLimitPlanResolver several(@Identifier("database") Database database) {
            return database::resolve;
        }
    }
}
