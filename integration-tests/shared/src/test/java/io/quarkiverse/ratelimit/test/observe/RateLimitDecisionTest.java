package io.quarkiverse.ratelimit.test.observe;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver.Effect;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkiverse.ratelimit.test.fixtures.Observed;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Observers are notified of each call once for each policy that contributes to its result. */
@QuarkusTest
class RateLimitDecisionTest {

    @Inject
    Observed observed;

    @Inject
    Unneeded unneeded;

    @Inject
    RateLimiters limiters;

    @Test
    void deniedCallIsReportedOnlyByThePoliciesThatDenyIt() {
        assertThat(observed.of(() -> get("/observed/several"))).containsExactly("seen-narrow allowed REDIS",
                "seen-wide allowed REDIS",
                "seen-trial allowed REDIS");
        assertThat(observed.of(() -> get("/observed/several"))).containsExactly("seen-narrow denied REDIS");
    }

    @Test
    void callThatAShadowPolicyWouldDenyIsShadowDenied() {
        get("/observed/trial");

        assertThat(observed.of(() -> get("/observed/trial"))).containsExactly("seen-trial shadow-denied REDIS");
    }

    @Test
    void denialByTheDenialCacheIsReported() {
        RateLimiter limiter = limiters.create("seen-made", Limit.tokenBucket(1).refill(1, Duration.ofHours(1)));

        assertThat(observed.of(() -> get("/observed/bean/called"))).containsExactly("seen-bean allowed REDIS");
        assertThat(observed.of(() -> {
            get("/observed/bean/called");
            get("/observed/bean/called");
        })).hasSize(2).startsWith("seen-bean denied REDIS").last().isIn("seen-bean denied DENIAL_CACHE",
                "seen-bean denied REDIS");
        assertThat(observed.of(() -> limiter.forKey("a").tryAcquire())).containsExactly("seen-made allowed REDIS");
    }

    @Test
    void exemptCallerIsReportedOnceForARouteAndItsMethod() {
        assertThat(observed.of(() -> get("/observed/exempt"))).containsExactly("seen-exempt exempt");
    }

    @Test
    void routeAndMethodWithTheSamePolicyAreReportedOnce() {
        assertThat(observed.of(() -> get("/observed/same"))).containsExactly("seen-same allowed REDIS");
    }

    @Test
    void callerOfAnUnlimitedPlanIsExempt() {
        assertThat(observed.of(() -> get("/observed/unlimited"))).containsExactly("seen-unlimited exempt");
        assertThat(observed.of(() -> limiters.get("seen-unlimited").forKey("1.2.3.4").tryAcquire()))
                .containsExactly("seen-unlimited exempt");
        assertThat(observed.of(() -> limiters.get("seen-unlimited").forKey("1.2.3.4").peek())).isEmpty();
    }

    @Test
    void callerWhosePlanBecomesUnlimitedIsOnlyExempt() {
        RateLimiter caller = limiters.get("seen-unlimited").forKey("1.2.3.5");
        Unlimited.isForAll = false;
        try {
            assertThat(observed.of(caller::tryAcquire)).containsExactly("seen-unlimited allowed REDIS");
            assertThat(observed.of(caller::tryAcquire)).containsExactly("seen-unlimited denied REDIS");
        } finally {
            Unlimited.isForAll = true;
        }

        assertThat(observed.of(caller::tryAcquire)).containsExactly("seen-unlimited exempt");
    }

    @Test
    void missingKeyIsReportedWhereItIsDenied() {
        assertThat(observed.of(() -> get("/observed/keyed"))).containsExactly("seen-keyed denied REDIS");
        assertThat(observed.of(() -> get("/observed/optional"))).isEmpty();
    }

    @Test
    void peekingAndSettlingAreNotReported() {
        RateLimiter code = limiters.get("seen-code");

        assertThat(observed.of(() -> code.forKey("1.2.3.4").peek())).isEmpty();
        RateLimitReservation reservation = code.forKey("1.2.3.4").reserve(1);
        assertThat(observed.of(() -> reservation.settle(3))).isEmpty();
        assertThat(observed.of(() -> code.forKey("1.2.3.4").tryAcquire())).containsExactly("seen-code denied REDIS");
        assertThat(observed.of(() -> code.forKey("1.2.3.4").charge(2))).containsExactly("seen-code allowed REDIS");
    }

    @Test
    void delayedCallIsReportedWhenItProceeds() {
        RateLimiter waits = limiters.create("seen-waits", Limit.slidingLog(1, Duration.ofMillis(300)));
        waits.forKey("a").tryAcquire();

        assertThat(observed.of(() -> waits.forKey("a").tryAcquire(1, Duration.ofSeconds(10))))
                .containsExactly("seen-waits allowed REDIS");
    }

    @Test
    void observerThatIsNotNeededIsNotNotified() {
        get("/observed/several");

        assertThat(unneeded.expected).hasValue(1);
        assertThat(unneeded.notified).hasValue(0);
    }

    @Test
    void observerThatFailsDoesNotFailTheCall() {
        assertThat(observed.of(() -> assertThat(get("/observed/unobservable").statusCode()).isEqualTo(200))).hasSize(1);
    }

    @Path("/observed")
    public static class Resource {

        @Inject
        Bean bean;

        @GET
        @Path("several")
        @RateLimited("seen-narrow")
        @RateLimited("seen-wide")
        @RateLimited("seen-trial")
        public String several() {
            return "ok";
        }

        @GET
        @Path("trial")
        @RateLimited("seen-trial")
        public String trial() {
            return "ok";
        }

        @GET
        @Path("exempt")
        @RateLimited("seen-exempt")
        public String exempt() {
            return "ok";
        }

        @GET
        @Path("same")
        @RateLimited("seen-same")
        public String same() {
            return "ok";
        }

        @GET
        @Path("keyed")
        @RateLimited("seen-keyed")
        public String keyed() {
            return "ok";
        }

        @GET
        @Path("optional")
        @RateLimited("seen-optional")
        public String optional() {
            return "ok";
        }

        @GET
        @Path("unlimited")
        @RateLimited("seen-unlimited")
        public String unlimited() {
            return "ok";
        }

        @GET
        @Path("unobservable")
        @RateLimited("seen-unobservable")
        public String unobservable() {
            return "ok";
        }

        @GET
        @Path("bean/{name}")
        public Uni<String> bean(@PathParam("name") String name) {
            return bean.called(name);
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("seen-bean")
        Uni<String> called(String name) {
            return Uni.createFrom().item(name);
        }
    }

    @Singleton
    public static class Unneeded implements DecisionObserver {

        final AtomicInteger expected = new AtomicInteger();
        final AtomicInteger notified = new AtomicInteger();

        @Override
        public boolean expect(Collection<Policy> policies) {
            expected.incrementAndGet();
            return false;
        }

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            notified.incrementAndGet();
        }
    }

    @ApplicationScoped
    @Identifier("gold-for-all")
    public static class Unlimited implements RateLimitPlanResolver {

        static volatile boolean isForAll = true;

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            return Uni.createFrom().item(RateLimitPlan.named(isForAll ? "gold" : "none"));
        }
    }
}
