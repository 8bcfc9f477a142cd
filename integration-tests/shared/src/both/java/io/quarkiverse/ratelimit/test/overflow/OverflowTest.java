package io.quarkiverse.ratelimit.test.overflow;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.engine.observers.DecisionObserver;
import io.quarkus.test.junit.QuarkusTest;

/** A call that one policy denies is allowed by its overflow, which alone is charged. */
@QuarkusTest
class OverflowTest {

    private final String tenant = UUID.randomUUID().toString(), pool = UUID.randomUUID().toString();

    @Inject
    RateLimiters limiters;

    @Inject
    Events events;

    @Inject
    Effects effects;

    @Test
    void headersShowEachLimitThatWasAsked() {
        io.restassured.response.Response own = send("/overflow");
        assertThat(own.header("RateLimit-Policy")).isEqualTo("\"of-tenant\";q=2;w=3600");
        assertThat(left(own)).isEqualTo("\"of-tenant\";r=1");
        send("/overflow");

        io.restassured.response.Response overflowed = send("/overflow");
        assertThat(overflowed.statusCode()).isEqualTo(200);
        assertThat(overflowed.header("RateLimit-Policy")).isEqualTo("\"of-tenant\";q=2;w=3600, \"of-pool\";q=3;w=60");
        assertThat(left(overflowed)).isEqualTo("\"of-tenant\";r=0, \"of-pool\";r=2");
        assertThat(overflowed.header("X-RateLimit-Limit")).as("that of the payer").isEqualTo("3");
        assertThat(overflowed.header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void denialHasTheShortestWaitAndAllLimits() {
        for (int call = 1; call <= 5; call++) {
            assertThat(send("/overflow").statusCode()).isEqualTo(200);
        }

        io.restassured.response.Response denied = send("/overflow");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(Integer.parseInt(denied.header("Retry-After"))).isBetween(1, 60);
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("of-pool", "of-tenant");
        assertThat(denied.jsonPath().getString("detail")).startsWith("Policy of-pool is used up. Retry after ");
        assertThat(left(denied)).isEqualTo("\"of-tenant\";r=0, \"of-pool\";r=0");

        assertThat(send("/overflow").statusCode()).isEqualTo(429);
        RateLimitExceeded exceeded = await().until(() -> events.of(poolKey()), all -> !all.isEmpty()).get(0);
        assertThat(exceeded.policy()).isEqualTo("of-pool");
        assertThat(events.events).noneMatch(event -> event.policy().equals("of-tenant"));
    }

    @Test
    void observersSeeWhoDeniedAndWhoPaid() {
        for (int call = 1; call <= 3; call++) {
            send("/overflow");
        }

        assertThat(effects.of(tenantKey()))
                .containsExactly("of-tenant allowed", "of-tenant allowed", "of-tenant overflow");
        assertThat(effects.of(poolKey())).containsExactly("of-pool allowed");
    }

    @Test
    void beanCallsAndCodeCountTheSame() {
        send("/overflow/bean");
        send("/overflow/bean");
        assertThat(send("/overflow/bean").statusCode()).isEqualTo(200);
        send("/overflow");
        assertThat(send("/overflow/bean").statusCode()).isEqualTo(200);
        assertThat(send("/overflow/bean").statusCode()).isEqualTo(429);

        assertThat(limiters.get("of-pool").forKey(pool).peek().remaining()).isZero();
    }

    @Test
    void onlyThePayerCountsByStatus() {
        assertThat(send("/overflow/counted?status=500").statusCode()).isEqualTo(500);
        for (int call = 1; call <= 4; call++) {
            assertThat(send("/overflow/counted?status=200").statusCode()).as("refunded").isEqualTo(200);
        }
        assertThat(send("/overflow/counted?status=500").statusCode()).isEqualTo(500);
        assertThat(send("/overflow/counted?status=500").statusCode()).isEqualTo(500);
        assertThat(send("/overflow/counted?status=200").statusCode()).isEqualTo(429);
    }

    @Test
    void anOverflowWithoutKeyCountsTheArguments() {
        String user = UUID.randomUUID().toString(), other = UUID.randomUUID().toString();
        assertThat(send("/overflow/argument?user=" + user).statusCode()).isEqualTo(200);
        assertThat(send("/overflow/argument?user=" + user).statusCode()).isEqualTo(200);
        assertThat(send("/overflow/argument?user=" + user).statusCode()).isEqualTo(429);
        assertThat(send("/overflow/argument?user=" + other).statusCode()).isEqualTo(200);

        assertThat(limiters.get("of-argument").forKey(tenant, user).tryAcquire().allowed()).isFalse();
        assertThat(limiters.get("of-spare-argument").forKey(other).peek().remaining()).isOne();
    }

    @Test
    void aRouteAndAnAnnotationWithTheSamePolicyAreDecidedOnce() {
        assertThat(send("/overflow/routed").statusCode()).isEqualTo(200);
        assertThat(left(send("/overflow/routed"))).isEqualTo("\"of-route\";r=0, \"of-spare\";r=0");
        assertThat(send("/overflow/routed").statusCode()).isEqualTo(429);
    }

    @Test
    void overflowsWithoutAKeyOrDisabledArePassedOver() {
        assertThat(send("/overflow/guest").statusCode()).isEqualTo(200);
        assertThat(left(given().header("X-Tenant", tenant).get("/overflow/guest"))).isEqualTo("\"of-guest\";r=0");

        assertThat(given().header("X-Tenant", tenant).header("X-Member", pool).get("/overflow/guest").statusCode())
                .isEqualTo(200);
        assertThat(given().header("X-Tenant", tenant).header("X-Member", pool).get("/overflow/guest").statusCode())
                .isEqualTo(429);
    }

    @Test
    void whoIsExemptFromTheOverflowIsAllowed() {
        send("/overflow/guest");
        for (int call = 1; call <= 3; call++) {
            io.restassured.response.Response exempt = given().header("X-Tenant", tenant).header("X-Member", "staff")
                    .get("/overflow/guest");
            assertThat(exempt.statusCode()).isEqualTo(200);
            assertThat(left(exempt)).isEqualTo("\"of-guest\";r=0");
            assertThat(exempt.header("X-RateLimit-Limit")).as("nobody pays").isNull();
        }
    }

    private io.restassured.response.Response send(String path) {
        return given().header("X-Tenant", tenant).header("X-Pool", pool).get(path);
    }

    private static String left(io.restassured.response.Response response) {
        return response.header("RateLimit").replaceAll(";t=\\d+", "");
    }

    private String poolKey() {
        return limiters.get("of-pool").forKey(pool).peek().key();
    }

    private String tenantKey() {
        // a policy with the same key and no overflow
        return limiters.get("of-spare").forKey(tenant).peek().key();
    }

    @Path("/overflow")
    public static class Resource {

        @Inject
        Service service;

        @GET
        @RateLimited("of-tenant")
        public String own() {
            return "ok";
        }

        @GET
        @Path("bean")
        public String bean() {
            return service.call();
        }

        @GET
        @Path("counted")
        @RateLimited("of-counted")
        public Response counted(@QueryParam("status") int status) {
            return Response.status(status).build();
        }

        @GET
        @Path("argument")
        @RateLimited("of-argument")
        public String argument(@QueryParam("user") @RateLimitKey String user) {
            return user;
        }

        @GET
        @Path("routed")
        @RateLimited("of-route")
        public String routed() {
            return "ok";
        }

        @GET
        @Path("guest")
        @RateLimited("of-guest")
        public String guest() {
            return "ok";
        }
    }

    @Singleton
    public static class Service {

        @RateLimited("of-tenant")
        public String call() {
            return "ok";
        }
    }

    @Singleton
    public static class Events {

        final List<RateLimitExceeded> events = new CopyOnWriteArrayList<>();

        void onExceeded(@ObservesAsync RateLimitExceeded exceeded) {
            if (exceeded.policy().startsWith("of-")) {
                events.add(exceeded);
            }
        }

        List<RateLimitExceeded> of(String key) {
            return events.stream().filter(event -> event.decision().key().equals(key)).toList();
        }
    }

    @Singleton
    public static class Effects implements DecisionObserver {

        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void decided(String policy, Effect effect, RateLimitDecision decision) {
            if (policy.startsWith("of-") && decision != null) {
                seen.add(decision.key() + ' ' + policy + ' ' + effect.text());
            }
        }

        List<String> of(String key) {
            return seen.stream().filter(text -> text.startsWith(key + ' ')).map(text -> text.substring(key.length() + 1))
                    .toList();
        }
    }
}
