package io.quarkiverse.ratelimit.test.plans;

import static io.quarkiverse.ratelimit.test.fixtures.Users.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.logging.Level;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.specification.RequestSpecification;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** A bean of the application returns the plan that applies. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class PlansOfBeansTest {

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
            && record.getLoggerName().equals("io.quarkiverse.ratelimit"),
            records -> assertThat(records).as("one a minute")
                    .hasSizeLessThan(2)
                    .allMatch(record -> record.getMessage().contains("RateLimitPlanResolver \"contracts\" fails")
                            || String.valueOf(record.getParameters()[0]).contains("contracts")));

    @Inject
    RateLimiters limiters;

    @Test
    void numbersAreThePlans() {
        assertThat(left(of("small-1").get("/plans/bean/tenant"))).isEqualTo("9/10");
        assertThat(left(of("big-1").get("/plans/bean/tenant"))).isEqualTo("99/100");
        assertThat(of("huge-1").get("/plans/bean/tenant").header("RateLimit")).isNull();
    }

    @Test
    void callersWithoutPlanHaveThePolicysOwnNumbers() {
        assertThat(left(get("/plans/bean/tenant"))).isEqualTo("9/10");
    }

    @ParameterizedTest
    @ValueSource(strings = { "throwing", "failing", "hanging" })
    void beanThatFailsLeavesThePolicysOwnNumbers(String tenant) {
        assertThat(left(of(tenant).get("/plans/bean/tenant"))).isEqualTo("9/10");
        assertThat(left(of(tenant).get("/plans/bean/tenant"))).isEqualTo("8/10");
        assertThat(left(of("big-" + tenant).get("/plans/bean/tenant"))).isEqualTo("99/100");
        assertThat(LOG.records()).hasSize(1);
    }

    @Test
    void resolverRunsBlockingCodeOnAWorkerThread() {
        assertThat(left(of("blocking").get("/plans/bean/tenant"))).isEqualTo("99/100");
    }

    @Test
    void severalPoliciesCallTheBeanOnce() {
        int before = Contracts.calls;

        assertThat(of("big-2").get("/plans/bean/two").header("RateLimit-Policy"))
                .isEqualTo("\"plan-tenant\";q=100;w=36000, \"plan-path\";q=100;w=36000");
        assertThat(Contracts.calls - before).isEqualTo(1);
    }

    @Test
    void beanGetsTheKeyThatCodePasses() {
        assertThat(limiters.get("plan-tenant").forKey("big-code").tryAcquire()).returns(100L, RateLimitDecision::permits)
                .returns(99L, RateLimitDecision::remaining);
        assertThat(limiters.get("plan-tenant").forKey("big-code").peek()).returns(99L, RateLimitDecision::remaining);
        assertThat(limiters.get("plan-tenant").forKey("big-code").tryAcquire(9, Duration.ofSeconds(1)))
                .returns(90L, RateLimitDecision::remaining);
        assertThat(limiters.get("plan-tenant").forKey("big-code").charge(10)).returns(80L,
                RateLimitDecision::remaining);
        assertThat(limiters.get("plan-tenant").forKey("big-code").tryAcquireUpTo(100)).returns(80L, RateLimitDecision::granted);
        assertThat(limiters.get("plan-tenant").forKey("small-code").tryAcquire()).returns(10L, RateLimitDecision::permits);
    }

    @Test
    void codeIsNotLimitedForUnlimitedKeys() {
        for (int call = 1; call <= 11; call++) {
            assertThat(limiters.get("plan-tenant").forKey("huge-code").tryAcquire()).returns(true, RateLimitDecision::allowed)
                    .returns(1L, RateLimitDecision::granted).returns(Source.NOT_LIMITED, RateLimitDecision::source);
        }
        var reserved = limiters.get("plan-tenant").forKey("huge-code").reserve(1000);
        assertThat(reserved.decision()).returns(true, RateLimitDecision::allowed).returns(Source.NOT_LIMITED,
                RateLimitDecision::source);
        reserved.cancel();
    }

    @Test
    void reservationIsMadeByThePlan() {
        var reserved = limiters.get("plan-tenant").forKey("big-reserved").reserve(60);

        assertThat(reserved.decision()).returns(true, RateLimitDecision::allowed).returns(40L, RateLimitDecision::remaining);
        assertThat(reserved.settle(70)).returns(30L, RateLimitDecision::remaining);
    }

    private static RequestSpecification of(String tenant) {
        return given().header("X-Tenant", tenant);
    }

    @Path("/plans/bean")
    public static class Resource {

        @GET
        @Path("tenant")
        @RateLimited("plan-tenant")
        public String tenant() {
            return "ok";
        }

        @GET
        @Path("two")
        @RateLimited("plan-tenant")
        @RateLimited("plan-path")
        public String two() {
            return "ok";
        }
    }

    /** The plan is what the tenant's name begins with; known after a while, on a thread of its own. */
    @ApplicationScoped
    @Identifier("contracts")
    public static class Contracts implements RateLimitPlanResolver {

        static volatile int calls;

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            calls++;
            String tenant = call.key() == null ? call.header("X-Tenant") : call.key().get(0);
            if (tenant == null) {
                return null;
            }
            return switch (tenant) {
                case "throwing" -> throw new IllegalStateException("on purpose");
                case "failing" -> Uni.createFrom().failure(new IllegalStateException("on purpose"));
                case "hanging" -> Uni.createFrom().nothing();
                case "blocking" -> call.runBlocking(
                        () -> RateLimitPlan.named(BlockingOperationControl.isBlockingAllowed() ? "big" : "small"));
                default -> Uni.createFrom().item(RateLimitPlan.named(tenant.split("-")[0])).onItem().delayIt()
                        .by(Duration.ofMillis(5));
            };
        }
    }
}
