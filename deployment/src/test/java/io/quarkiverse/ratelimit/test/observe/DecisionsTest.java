package io.quarkiverse.ratelimit.test.observe;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Observers are notified of each call once for each policy that contributes to its result. */
class DecisionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Observed.class, Resource.class, Bean.class, Unlimited.class))
            .withConfiguration(policy("narrow", 1, "global") + policy("wide", 9, "global") + policy("trial", 1, "global")
                    + policy("exempt", 1, "ip") + policy("same", 9, "ip") + policy("keyed", 9, "header:X-Key")
                    + policy("optional", 9, "header:X-Key") + policy("bean", 1, "global") + policy("unlimited", 1, "ip")
                    + policy("code", 3, "ip") + policy("unobservable", 9, "global") + """
                            quarkus.rate-limit.policies.trial.mode=shadow
                            quarkus.rate-limit.policies.exempt.exempt-ips=127.0.0.0/8
                            quarkus.rate-limit.policies.keyed.missing-key=deny
                            quarkus.rate-limit.policies.optional.missing-key=skip
                            quarkus.rate-limit.policies.unlimited.plan=bean:all
                            quarkus.rate-limit.policies.unlimited.plans.gold.unlimited=true
                            quarkus.rate-limit.routes.exempt.paths=/observed/exempt
                            quarkus.rate-limit.routes.exempt.policy=exempt
                            quarkus.rate-limit.routes.same.paths=/observed/same
                            quarkus.rate-limit.routes.same.policy=same
                            """);

    @Inject
    Observed observed;

    @Inject
    RateLimiters limiters;

    @Test
    void deniedCallIsReportedOnlyByThePoliciesThatDenyIt() {
        assertThat(observed.of(() -> get("/observed/several"))).containsExactly("narrow allowed REDIS", "wide allowed REDIS",
                "trial allowed REDIS");
        assertThat(observed.of(() -> get("/observed/several"))).containsExactly("narrow denied REDIS");
    }

    @Test
    void callThatAShadowPolicyWouldDenyIsShadowDenied() {
        get("/observed/trial");

        assertThat(observed.of(() -> get("/observed/trial"))).containsExactly("trial shadow-denied REDIS");
    }

    @Test
    void denialByTheDenialCacheIsReported() {
        RateLimiter limiter = limiters.create("made", Limit.tokenBucket(1).refill(1, Duration.ofHours(1)));

        assertThat(observed.of(() -> get("/observed/bean/called"))).containsExactly("bean allowed REDIS");
        assertThat(observed.of(() -> {
            get("/observed/bean/called");
            get("/observed/bean/called");
        })).hasSize(2).startsWith("bean denied REDIS").last().isIn("bean denied DENIAL_CACHE", "bean denied REDIS");
        assertThat(observed.of(() -> limiter.forKey("a").tryAcquire())).containsExactly("made allowed REDIS");
    }

    @Test
    void exemptCallerIsReportedOnceForARouteAndItsMethod() {
        assertThat(observed.of(() -> get("/observed/exempt"))).containsExactly("exempt exempt");
    }

    @Test
    void routeAndMethodWithTheSamePolicyAreReportedOnce() {
        assertThat(observed.of(() -> get("/observed/same"))).containsExactly("same allowed REDIS");
    }

    @Test
    void callerOfAnUnlimitedPlanIsExempt() {
        assertThat(observed.of(() -> get("/observed/unlimited"))).containsExactly("unlimited exempt");
        assertThat(observed.of(() -> limiters.get("unlimited").forKey("1.2.3.4").tryAcquire()))
                .containsExactly("unlimited exempt");
        assertThat(observed.of(() -> limiters.get("unlimited").forKey("1.2.3.4").peek())).isEmpty();
    }

    @Test
    void missingKeyIsReportedWhereItIsDenied() {
        assertThat(observed.of(() -> get("/observed/keyed"))).containsExactly("keyed denied REDIS");
        assertThat(observed.of(() -> get("/observed/optional"))).isEmpty();
    }

    @Test
    void peekingAndSettlingAreNotReported() {
        RateLimiter code = limiters.get("code");

        assertThat(observed.of(() -> code.forKey("1.2.3.4").peek())).isEmpty();
        RateLimitReservation reservation = code.forKey("1.2.3.4").reserve(1);
        assertThat(observed.of(() -> reservation.settle(3))).isEmpty();
        assertThat(observed.of(() -> code.forKey("1.2.3.4").tryAcquire())).containsExactly("code denied REDIS");
        assertThat(observed.of(() -> code.forKey("1.2.3.4").charge(2))).containsExactly("code allowed REDIS");
    }

    @Test
    void delayedCallIsReportedWhenItProceeds() {
        RateLimiter waits = limiters.create("waits", Limit.slidingLog(1, Duration.ofMillis(300)));
        waits.forKey("a").tryAcquire();

        assertThat(observed.of(() -> waits.forKey("a").tryAcquire(1, Duration.ofSeconds(10))))
                .containsExactly("waits allowed REDIS");
    }

    @Test
    void observerThatFailsDoesNotFailTheCall() {
        assertThat(observed.of(() -> assertThat(get("/observed/unobservable").statusCode()).isEqualTo(200))).hasSize(1);
    }

    private static String policy(String name, int permits, String key) {
        return """
                quarkus.rate-limit.timeout=10s
                quarkus.rate-limit.policies.%1$s.permits=%2$d
                quarkus.rate-limit.policies.%1$s.period=1h
                quarkus.rate-limit.policies.%1$s.key=%3$s
                """.formatted(name, permits, key);
    }

    @Path("/observed")
    public static class Resource {

        @Inject
        Bean bean;

        @GET
        @Path("several")
        @RateLimited("narrow")
        @RateLimited("wide")
        @RateLimited("trial")
        public String several() {
            return "ok";
        }

        @GET
        @Path("trial")
        @RateLimited("trial")
        public String trial() {
            return "ok";
        }

        @GET
        @Path("exempt")
        @RateLimited("exempt")
        public String exempt() {
            return "ok";
        }

        @GET
        @Path("same")
        @RateLimited("same")
        public String same() {
            return "ok";
        }

        @GET
        @Path("keyed")
        @RateLimited("keyed")
        public String keyed() {
            return "ok";
        }

        @GET
        @Path("optional")
        @RateLimited("optional")
        public String optional() {
            return "ok";
        }

        @GET
        @Path("unlimited")
        @RateLimited("unlimited")
        public String unlimited() {
            return "ok";
        }

        @GET
        @Path("unobservable")
        @RateLimited("unobservable")
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

        @RateLimited("bean")
        Uni<String> called(String name) {
            return Uni.createFrom().item(name);
        }
    }

    @ApplicationScoped
    @Identifier("all")
    public static class Unlimited implements RateLimitPlanResolver {

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            return Uni.createFrom().item(RateLimitPlan.named("gold"));
        }
    }
}
