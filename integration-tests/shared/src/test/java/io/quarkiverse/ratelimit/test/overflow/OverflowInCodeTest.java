package io.quarkiverse.ratelimit.test.overflow;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.UUID;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Limiters in code ask overflows with the values that the code has passed, and the rest of the request. */
@QuarkusTest
class OverflowInCodeTest {

    private final String alice = UUID.randomUUID().toString(), team = UUID.randomUUID().toString();

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Test
    void partsWithTheSameNameHaveTheSameValue() {
        RateLimiter limiter = limiters.get("code-user").forKey(alice, team);
        for (String payer : new String[] { "code-user", "code-user", "code-team", "code-team", "code-team" }) {
            assertThat(limiter.tryAcquire()).returns(true, RateLimitDecision::allowed).returns(payer,
                    RateLimitDecision::policy);
        }

        RateLimitDecision denied = limiter.tryAcquire();
        assertThat(denied.allowed()).isFalse();
        assertThat(denied.limits()).as("without a request, the last overflow has no key").extracting(LimitState::policy)
                .containsExactly("code-user", "code-team");
        assertThat(limiters.get("code-team").forKey(team).peek().remaining()).isZero();
        assertThatThrownBy(limiter::acquireOrThrow).isInstanceOf(RateLimitExceededException.class)
                .hasMessageContaining("code-user");
    }

    @Test
    void otherPartsComeFromTheRequest() {
        for (int call = 1; call <= 10; call++) {
            String payer = call <= 2 ? "code-user" : call <= 5 ? "code-team" : "code-all";
            given().header("X-All", team).queryParam("user", alice).queryParam("team", team).get("/overflow-code").then()
                    .body(org.hamcrest.Matchers.is(payer + " true"));
        }
    }

    @Test
    void peekAnswersAsAnAcquireWould() {
        RateLimiter limiter = limiters.get("code-user").forKey(alice, team);
        assertThat(limiter.peek()).returns("code-user", RateLimitDecision::policy).returns(2L, RateLimitDecision::remaining);
        limiter.tryAcquire(2);

        assertThat(limiter.peek()).returns("code-team", RateLimitDecision::policy).returns(3L, RateLimitDecision::remaining);
        limiter.tryAcquire(3);
        assertThat(limiter.peek().allowed()).isFalse();
    }

    @Test
    void aPolicyWithoutKeyPassesAllValuesOn() {
        RateLimiter limiter = limiters.get("code-keyless").forKey(alice);
        limiter.tryAcquire();
        assertThat(limiter.tryAcquire().policy()).isEqualTo("code-spare");

        assertThat(limiter.tryAcquire().allowed()).isFalse();
        assertThat(limiters.get("code-spare").forKey(alice).peek().remaining()).isZero();
    }

    @Test
    void anOverflowWithoutKeyGetsAllValuesAlsoIfMethodsPassFewer() {
        RateLimiter open = limiters.get("code-open").forKey(alice, team);
        RateLimiter arguments = limiters.get("code-arguments").forKey(alice, team);
        assertThat(open.tryAcquire().policy()).isEqualTo("code-open");
        assertThat(open.tryAcquire().policy()).isEqualTo("code-arguments");
        assertThat(open.tryAcquire().allowed()).isFalse();
        assertThat(arguments.peek().remaining()).isZero();
        arguments.reset();
        assertThat(open.tryAcquire().policy()).isEqualTo("code-arguments");
        admin.policy("code-arguments").forKey(alice, team).reset();
        assertThat(open.tryAcquire().policy()).isEqualTo("code-arguments");

        RateLimiter fewer = limiters.get("code-open").forKey(team);
        assertThat(fewer.tryAcquire().policy()).isEqualTo("code-open");
        assertThat(fewer.tryAcquire().policy()).isEqualTo("code-arguments");
        given().header("X-All", alice).queryParam("user", team).get("/overflow-code/argued").then().statusCode(200);
        given().header("X-All", alice).queryParam("user", team).get("/overflow-code/argued").then().statusCode(429);
    }

    @Test
    void valuesAfterTheKeyPartsAreForAnOverflowWithoutKey() {
        RateLimiter both = limiters.get("code-passing").forKey(alice, team, "more");

        assertThat(both.tryAcquire().policy()).isEqualTo("code-passing");
        assertThat(limiters.get("code-passing").forKey(alice).peek().denialReason()).as("has a key of one part").isPresent();
        assertThat(both.tryAcquire().policy()).isEqualTo("code-passed");
        assertThat(limiters.get("code-passed").forKey(team, "more").peek().remaining()).isZero();
        assertThat(both.tryAcquire().allowed()).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("code-passing").forKey());
    }

    @Test
    void anOverflowWithoutKeyIsPassedOverWithoutValues() {
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("code-open").tryAcquire())
                .withMessageContaining("Call forKey(...) first");
        assertThatIllegalArgumentException().isThrownBy(() -> limiters.get("code-argued").forKey(alice, team, team))
                .withMessageContaining("The key has 3 values");

        RateLimiter argued = limiters.get("code-argued").forKey(alice);
        assertThat(argued.tryAcquire().allowed()).isTrue();
        assertThat(argued.tryAcquire().limits()).extracting(LimitState::policy).containsExactly("code-argued");
        RateLimiter global = limiters.get("code-global");
        assertThat(global.tryAcquire().policy()).isEqualTo("code-global");
        assertThat(global.tryAcquire().limits()).extracting(LimitState::policy).containsExactly("code-global");
        assertThat(global.forKey(team, alice).tryAcquire().policy()).isEqualTo("code-arguments");
        global.reset();
        for (boolean allowed : new boolean[] { true, false }) {
            given().header("X-All", team).get("/overflow-code/argued-caller").then()
                    .body(org.hamcrest.Matchers.is("code-argued " + allowed));
        }
    }

    @Test
    void permitsGoBackToThePayer() {
        RateLimiter user = limiters.get("code-user"), ofTeam = limiters.get("code-team"), all = limiters.get("code-all");
        user.forKey(alice, team).tryAcquire(2);
        RateLimitDecision first = user.forKey(alice, team).tryAcquire(), second = user.forKey(alice, team).tryAcquire();
        assertThat(ofTeam.forKey(team).peek().remaining()).isOne();

        assertThatIllegalArgumentException().isThrownBy(() -> all.refund(first));
        user.refund(first);
        user.refund(first);
        assertThat(ofTeam.forKey(team).peek().remaining()).isEqualTo(2);
        ofTeam.refund(second);
        assertThat(ofTeam.forKey(team).peek().remaining()).isEqualTo(3);
        assertThat(user.forKey(alice, team).peek().policy()).isEqualTo("code-team");
    }

    @Test
    void reservationsAreSettledByThePayer() {
        RateLimiter tokens = limiters.get("code-tokens").forKey(alice), credits = limiters.get("code-credits").forKey(alice);
        RateLimitReservation own = tokens.reserve(8), more = tokens.reserve(8), canceled = tokens.reserve(50);
        assertThat(own.decision().policy()).isEqualTo("code-tokens");
        assertThat(more.decision().policy()).isEqualTo("code-credits");
        assertThat(credits.peek().remaining()).isEqualTo(100 - 58);

        RateLimitDecision settlement = more.settle(20);
        assertThat(settlement).returns("code-credits", RateLimitDecision::policy).returns(20L, RateLimitDecision::granted);
        tokens.refund(settlement);
        tokens.refund(more.settle(7));
        credits.refund(settlement);
        canceled.cancel();
        assertThat(credits.peek().remaining()).isEqualTo(80);
        own.settle(10);

        RateLimitReservation byPayer = tokens.reserve(5), byFirst = tokens.reserve(5);
        assertThat(credits.peek().remaining()).isEqualTo(70);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limiters.get("code-user").reservation(byFirst.id()));
        credits.reservation(byPayer.id()).cancel();
        tokens.reservation(byFirst.id()).settle(1);
        byFirst.cancel();
        assertThat(credits.peek().remaining()).isEqualTo(79);
    }

    @Test
    void aContinuedReservationCanBeContinuedAgain() {
        RateLimiter tokens = limiters.get("code-tokens").forKey(alice), credits = limiters.get("code-credits").forKey(alice);
        tokens.tryAcquire(10);
        String first = tokens.reserve(5).id(), second = tokens.reserve(7).id();
        assertThat(credits.peek().remaining()).isEqualTo(88);

        tokens.reservation(tokens.reservation(first).id()).cancel();
        assertThat(credits.peek().remaining()).isEqualTo(93);
        tokens.refund(tokens.reservation(second).decision());
        assertThat(credits.peek().remaining()).isEqualTo(100);
    }

    @Test
    void whoIsExemptFromTheOverflowNeedsNoKeyForIt() {
        for (int call = 1; call <= 3; call++) {
            given().header("X-All", team).get("/overflow-code/caller").then().body(org.hamcrest.Matchers.is(
                    call == 1 ? "code-caller REDIS" : "code-exempt NOT_LIMITED"));
        }
    }

    @Test
    void anOverflowForEachMethodIsPassedOver() {
        for (int call = 1; call <= 3; call++) {
            String payer = call == 1 ? "code-any" : "code-all";
            given().header("X-All", alice).get("/overflow-code/passed").then().body(org.hamcrest.Matchers.is(payer));
            given().header("X-All", team).get("/overflow-code/current").then().body(org.hamcrest.Matchers.is(payer));
        }
    }

    @Test
    void chargesAndPartsOfACallAskTheNamedPolicyAlone() {
        RateLimiter limiter = limiters.get("code-user").forKey(alice, team);

        assertThat(limiter.charge(5)).returns("code-user", RateLimitDecision::policy).returns(true, RateLimitDecision::allowed);
        assertThat(limiter.tryAcquireUpTo(5)).returns("code-user", RateLimitDecision::policy).returns(false,
                RateLimitDecision::allowed);
        assertThat(limiters.get("code-team").forKey(team).peek().remaining()).isEqualTo(3);
    }

    @Test
    void aBlockedFirstPolicyDenies() {
        RateLimiter limiter = limiters.get("code-user").forKey(alice, team);
        limiter.block(Duration.ofMinutes(1));
        RateLimitDecision blocked = limiter.tryAcquire();
        assertThat(blocked.allowed()).isFalse();
        assertThat(blocked.denialReason()).contains(DenialReason.BLOCKED);
        assertThat(blocked.limits()).extracting(LimitState::policy).containsExactly("code-user");

        limiter.unblock();
        limiter.tryAcquire(2);
        limiters.get("code-team").forKey(team).block(Duration.ofMinutes(1));
        RateLimitDecision byOverflow = limiter.tryAcquire();
        assertThat(byOverflow.allowed()).isFalse();
        assertThat(byOverflow.retryAfter()).isLessThanOrEqualTo(Duration.ofMinutes(1)).isPositive();
        limiters.get("code-team").forKey(team).unblock();
        assertThat(limiter.tryAcquire().policy()).isEqualTo("code-team");
    }

    @Test
    void overridesAndPlansOfAnOverflowApply() {
        String rich = "rich-" + alice;
        RateLimiter limiter = limiters.get("code-tokens").forKey(rich);
        limiter.tryAcquire(10);

        assertThat(limiter.tryAcquire(1_000)).returns(true, RateLimitDecision::allowed)
                .returns("code-credits", RateLimitDecision::policy).returns(Source.NOT_LIMITED, RateLimitDecision::source);

        admin.policy("code-team").forKey(team).override(Limit.slidingLog(1, Duration.ofHours(1)));
        RateLimiter ofUser = limiters.get("code-user").forKey(alice, team);
        ofUser.tryAcquire(2);
        assertThat(ofUser.tryAcquire().policy()).isEqualTo("code-team");
        assertThat(ofUser.tryAcquire().allowed()).isFalse();
    }

    @Test
    void waitsForTheShortestWait() {
        RateLimiter limiter = limiters.get("code-user").forKey(alice, team);
        limiter.tryAcquire(2);

        assertThat(limiter.tryAcquire(3, Duration.ofSeconds(1)).policy()).isEqualTo("code-team");
        assertThat(limiter.tryAcquire(1, Duration.ofMillis(10)).allowed()).isFalse();
    }

    @Path("/overflow-code")
    public static class Resource {

        @Inject
        RateLimiters limiters;

        @GET
        public String acquire(@QueryParam("user") String user, @QueryParam("team") String team) {
            RateLimitDecision decision = limiters.get("code-user").forKey(user, team).tryAcquire();
            return decision.policy() + " " + decision.allowed();
        }

        @GET
        @Path("passed")
        public String acquireForKey(@HeaderParam("X-All") String all) {
            return limiters.get("code-any").forKey(all).tryAcquire().policy();
        }

        @GET
        @Path("argued")
        @RateLimited("code-argued")
        public String argued(@QueryParam("user") @RateLimitKey String user) {
            return user;
        }

        @GET
        @Path("argued-caller")
        public String acquireForCallerWithoutArguments() {
            RateLimitDecision decision = limiters.get("code-argued").forCaller().tryAcquire();
            return decision.policy() + " " + decision.allowed();
        }

        @GET
        @Path("current")
        public String acquireForCurrent() {
            return limiters.get("code-any").forCaller().tryAcquire().policy();
        }

        @GET
        @Path("caller")
        public String acquireForCaller() {
            RateLimitDecision decision = limiters.get("code-caller").forCaller().tryAcquire();
            return decision.policy() + " " + decision.source();
        }
    }

    @Singleton
    @Identifier("overflow-plans")
    public static class Plans implements RateLimitPlanResolver {

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            boolean isRich = call.key() != null && call.key().get(0).startsWith("rich-");
            return Uni.createFrom().item(isRich ? RateLimitPlan.named("rich") : null);
        }
    }
}
