package io.quarkiverse.ratelimit.test.plans;

import static io.quarkiverse.ratelimit.test.fixtures.Users.as;
import static io.quarkiverse.ratelimit.test.fixtures.Users.left;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.vertx.http.runtime.security.HttpSecurityUtils;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.web.RoutingContext;

/** Callers with other roles have other limits. */
@QuarkusTest
class PlansOfRolesTest {

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    RedisDataSource redis;

    @Test
    void numbersAreThePlans() {
        assertThat(left(as("none1").get("/plans/role/user"))).isEqualTo("9/10");
        assertThat(left(as("silver1").get("/plans/role/user"))).isEqualTo("49/50");
        assertThat(left(as("gold1").get("/plans/role/user"))).isEqualTo("99/100");
        assertThat(as("gold1").get("/plans/role/user").header("RateLimit-Policy")).isEqualTo("\"plan-user\";q=100;w=36000");
    }

    @Test
    void anonymousCallersHaveThePolicysOwnNumbers() {
        assertThat(left(get("/plans/role/user"))).endsWith("/10");
    }

    @Test
    void ofSeveralRolesTheFirstInOrderCounts() {
        assertThat(left(as("gold-silver").get("/plans/role/user"))).isEqualTo("99/100");
    }

    @Test
    void unlimitedCallersAreNotCounted() {
        for (int call = 1; call <= 11; call++) {
            assertThat(as("partner1").get("/plans/role/user").headers().asList())
                    .noneMatch(header -> header.getName().toLowerCase().contains("ratelimit"));
        }
        assertThat(redis.key().keys("*partner1*")).isEmpty();
    }

    @Test
    void planIsNoPartOfTheKeySoThatAChangeKeepsWhatWasUsed() {
        for (int call = 1; call <= 10; call++) {
            as("rising1").get("/plans/role/user");
        }
        assertThat(as("rising1").get("/plans/role/user").statusCode()).isEqualTo(429);

        assertThat(left(as("rising1").header("X-Promoted", "gold").get("/plans/role/user"))).isEqualTo("89/100");
        assertThat(as("rising1").get("/plans/role/user").statusCode()).isEqualTo(429);
        assertThat(left(as("rising1").header("X-Promoted", "gold").get("/plans/role/user"))).isEqualTo("88/100");
    }

    @Test
    void planChangesOnlyTheLimitsItNames() {
        assertThat(as("gold1").get("/plans/role/both").header("RateLimit-Policy"))
                .isEqualTo("\"plan-both.day\";q=100;w=86400, \"plan-both.hour\";q=1000;w=3600");
        assertThat(as("none1").get("/plans/role/both").header("RateLimit-Policy"))
                .isEqualTo("\"plan-both.day\";q=100;w=86400, \"plan-both.hour\";q=10;w=3600");
    }

    @Test
    void overrideOfTheKeyComesBeforeThePlan() {
        as("gold3").get("/plans/role/user");

        admin.policy("plan-user").forKey("gold3").override(Limit.tokenBucket(7).refill(1, Duration.ofHours(1)),
                Duration.ofHours(1));
        assertThat(left(as("gold3").get("/plans/role/user"))).isEqualTo("5/7");
        assertThat(left(as("gold4").get("/plans/role/user"))).isEqualTo("99/100");

        admin.policy("plan-user").forKey("gold3").removeOverride();
        assertThat(left(as("gold3").get("/plans/role/user"))).isEqualTo("97/100");
    }

    @Test
    void overrideOfTheKeyLimitsAnUnlimitedCaller() {
        admin.policy("plan-user").forKey("partner2").override(Limit.tokenBucket(7).refill(1, Duration.ofHours(1)),
                Duration.ofHours(1));

        assertThat(left(as("partner2").get("/plans/role/user"))).isEqualTo("6/7");

        admin.policy("plan-user").forKey("partner2").removeOverride();
        assertThat(as("partner2").get("/plans/role/user").header("RateLimit")).isNull();
    }

    @Test
    void overrideForAllIsForCallersWithoutPlan() {
        admin.policy("plan-user").override(Limit.tokenBucket(20).refill(1, Duration.ofHours(1)), Duration.ofHours(1));
        try {
            assertThat(left(as("none2").get("/plans/role/user"))).isEqualTo("19/20");
            assertThat(left(as("gold2").get("/plans/role/user"))).isEqualTo("99/100");
            assertThat(as("partner1").get("/plans/role/user").header("RateLimit")).isNull();
        } finally {
            admin.policy("plan-user").removeOverride();
        }
    }

    @Test
    void beanCallsHaveThePlanOfTheirRequest() {
        assertThat(as("gold5").get("/plans/role/bean").asString()).isEqualTo("called");
        assertThat(left(as("gold5").get("/plans/role/user"))).isEqualTo("98/100");
    }

    @Test
    void codeWithinARequestHasItsPlan() {
        assertThat(as("gold6").get("/plans/role/code").asString()).isEqualTo("99 of 100");
        assertThat(left(as("gold6").get("/plans/role/user"))).isEqualTo("98/100");
    }

    @Test
    void codeOutsideOfRequestsHasThePolicysOwnLimits() {
        assertThat(limiters.get("plan-user").forKey("somebody").tryAcquire()).returns(10L, RateLimitDecision::permits);
    }

    @Path("/plans/role")
    public static class Resource {

        @Inject
        Bean bean;

        @Inject
        RateLimiters limiters;

        @Inject
        SecurityIdentity identity;

        @GET
        @Path("user")
        @RateLimited("plan-user")
        public String user() {
            return "ok";
        }

        @GET
        @Path("both")
        @RateLimited("plan-both")
        public String both() {
            return "ok";
        }

        @GET
        @Path("bean")
        public String bean() {
            return bean.call();
        }

        @GET
        @Path("code")
        public Uni<String> code() {
            return limiters.get("plan-user").reactive().forKey(identity.getPrincipal().getName()).tryAcquire()
                    .map(decision -> decision.remaining() + " of " + decision.permits());
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("plan-user")
        String call() {
            return "called";
        }
    }

    /** Gives a role on demand. */
    @ApplicationScoped
    public static class Promotion implements SecurityIdentityAugmentor {

        @Override
        public Uni<SecurityIdentity> augment(SecurityIdentity identity, AuthenticationRequestContext context,
                Map<String, Object> attributes) {
            RoutingContext request = HttpSecurityUtils.getRoutingContextAttribute(attributes);
            String role = request == null ? null : request.request().getHeader("X-Promoted");
            return Uni.createFrom().item(role == null ? identity
                    : QuarkusSecurityIdentity.builder(identity).addRoles(Set.of(role)).build());
        }

        @Override
        public Uni<SecurityIdentity> augment(SecurityIdentity identity, AuthenticationRequestContext context) {
            throw new UnsupportedOperationException("only called with attributes");
        }
    }
}
