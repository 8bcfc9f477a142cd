package io.quarkiverse.ratelimit.test.observe;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitApproached;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.operate.observe.ApproachedLimits;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.store.LimiterClock;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** An allowed call after which at least {@code warn-at} of a limit is used is reported, once per key and minute. */
@QuarkusTest
class ApproachedLimitsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Inject
    Reports reports;

    @Inject
    Observer observer;

    @Inject
    RateLimiters limiters;

    @Inject
    RateLimitAdmin admin;

    @Inject
    LimiterClock clock;

    @Inject
    Resource resource;

    @Inject
    Bean bean;

    private final ExecutorService threads = Executors.newFixedThreadPool(9);

    private String caller;

    @BeforeEach
    void newCaller() {
        reports.reported.clear();
        caller = UUID.randomUUID().toString();
    }

    @Test
    void eventContainsTheDecisionAndTheLimitAndArrivesOnAThreadThatMayBlock() {
        for (int call = 1; call <= 7; call++) {
            assertThat(send()).isEqualTo(200);
        }
        assertThat(reports.of("approached")).isEmpty();

        assertThat(send()).isEqualTo(200);

        String key = limiters.get("approached").forKey(caller).peek().key();
        RateLimitApproached approached = await().until(() -> observer.events.stream()
                .filter(event -> event.decision().key().equals(key)).toList(), events -> events.size() == 1).get(0);
        assertThat(approached.policy()).isEqualTo("approached");
        assertThat(approached.decision().allowed()).isTrue();
        assertThat(approached.decision().key()).startsWith("header:x-caller*").doesNotContain(caller);
        LimitState limit = approached.limits().get(0);
        assertThat(approached.limits()).hasSize(1);
        assertThat(limit.limit()).isEqualTo("default");
        assertThat(limit.permits()).isEqualTo(10);
        assertThat(limit.remaining()).isEqualTo(2);
        assertThat(observer.blockingWasAllowed).isTrue();
    }

    @Test
    void requestsAndCodeShareTheMinuteOfAKey() {
        RateLimiter code = limiters.get("approached").forKey(caller);
        code.tryAcquire(7);

        assertThat(send()).isEqualTo(200);
        assertThat(code.tryAcquire().allowed()).isTrue();
        assertThat(reports.of("approached")).containsExactly("default 2 of 10");

        clock.advance(MINUTE);
        assertThat(code.tryAcquire().allowed()).isTrue();
        assertThat(send()).isEqualTo(429);
        assertThat(reports.of("approached")).containsExactly("default 2 of 10", "default 0 of 10");
    }

    @Test
    void deniedCallsAndPeeksAreNotReported() {
        RateLimiter code = limiters.get("approached").forKey(caller);
        assertThat(code.tryAcquire(11).allowed()).isFalse();
        code.charge(10);
        assertThat(reports.of("approached")).containsExactly("default 0 of 10");

        clock.advance(MINUTE);
        assertThat(code.tryAcquire().allowed()).isFalse();
        assertThat(code.tryAcquireUpTo(5).allowed()).isFalse();
        code.peek();

        assertThat(reports.of("approached")).hasSize(1);
    }

    @Test
    void callThatGetsFewerPermitsThanItRequestsIsReported() {
        RateLimiter code = limiters.get("approached").forKey(caller);
        code.tryAcquire(7);

        assertThat(code.tryAcquireUpTo(5).granted()).isEqualTo(3);

        assertThat(reports.of("approached")).containsExactly("default 0 of 10");
    }

    @Test
    void reservationIsReportedAndItsSettlementOnlyByTheNextCall() {
        RateLimiter code = limiters.get("approached").forKey(caller);
        RateLimitReservation small = code.reserve(1);
        small.settle(8);
        assertThat(reports.of("approached")).isEmpty();

        code.reserve(1).settle(1);

        assertThat(reports.of("approached")).containsExactly("default 1 of 10");
    }

    @Test
    void keysArePerCaller() {
        limiters.get("approached").forKey(caller).tryAcquire(8);
        limiters.get("approached").forKey(caller + 2).tryAcquire(9);

        assertThat(reports.of("approached")).containsExactly("default 2 of 10", "default 1 of 10");
    }

    @Test
    void reportContainsThoseLimitsThatReachedTheShare() {
        RateLimiter code = limiters.get("approached-limits").forKey(caller);
        assertThat(code.tryAcquire(1).allowed()).isTrue();
        assertThat(reports.of("approached-limits")).containsExactly("calls 1 of 2");

        clock.advance(MINUTE);
        assertThat(code.tryAcquire(1).allowed()).isTrue();

        assertThat(reports.of("approached-limits")).containsExactly("calls 1 of 2", "calls 0 of 2, short 2 of 4");
    }

    @Test
    void policyInShadowModeIsCountedButFiresNoEvent() {
        RateLimiter code = limiters.get("approached-trial").forKey(caller);
        code.tryAcquire(2);
        assertThat(reports.of("approached-trial")).containsExactly("default 0 of 2");

        clock.advance(MINUTE);
        assertThat(code.tryAcquire().allowed()).isTrue();

        assertThat(reports.of("approached-trial")).as("without the call that it would deny").hasSize(1);
        String last = UUID.randomUUID().toString();
        limiters.get("approached").forKey(last).tryAcquire(10);
        await().until(() -> observer.events.stream().anyMatch(event -> event.decision().key().equals(
                limiters.get("approached").forKey(last).peek().key())));
        assertThat(observer.events).noneMatch(event -> event.policy().equals("approached-trial"));
    }

    @Test
    void permitsHeldByRunningCallsAreTheShareOfConcurrency() {
        RateLimiter code = limiters.get("approached-held").forKey(caller);
        List<RateLimitReservation> held = IntStream.range(0, 3).mapToObj(i -> code.reserve(1)).toList();
        assertThat(reports.of("approached-held")).isEmpty();

        code.reserve(1).cancel();

        assertThat(reports.of("approached-held")).containsExactly("default 1 of 5");
        held.forEach(RateLimitReservation::cancel);
    }

    @Test
    void shareIsThatOfTheLimitInForce() {
        RateLimiter code = limiters.get("approached").forKey(caller);
        admin.policy("approached").forKey(caller).override(Limit.tokenBucket(100).refill(100, Duration.ofDays(10)));
        code.tryAcquire(79);
        assertThat(reports.of("approached")).isEmpty();
        code.tryAcquire();
        assertThat(reports.of("approached")).containsExactly("default 20 of 100");

        RateLimiter planned = limiters.get("approached-plan").forKey(caller);
        planned.tryAcquire(39);
        assertThat(reports.of("approached-plan")).isEmpty();
        planned.tryAcquire();
        assertThat(reports.of("approached-plan")).containsExactly("default 10 of 50");
    }

    @Test
    void permitsThatAnInstanceAcquiredAheadAreNotUsedYet() {
        RateLimiter code = limiters.get("approached-ahead").forKey(caller);
        for (int call = 1; call <= 79; call++) {
            assertThat(code.tryAcquire().allowed()).isTrue();
        }
        assertThat(reports.of("approached-ahead")).isEmpty();

        assertThat(code.tryAcquire().allowed()).isTrue();

        assertThat(reports.of("approached-ahead")).containsExactly("default 20 of 100");
    }

    @Test
    void callThatWaitsIsReportedWhenItIsAllowed() {
        RateLimiter code = limiters.get("approached-window").forKey(caller);
        code.tryAcquire();

        assertThat(code.tryAcquire(2, Duration.ofSeconds(10)).allowed()).isTrue();

        assertThat(reports.of("approached-window")).containsExactly("default 0 of 2");
    }

    @Test
    void routeAndMethodReportOnce() {
        when().get("/approached/route").then().statusCode(200);

        assertThat(reports.of("approached-route")).containsExactly("default 4 of 5");
    }

    @Test
    void refundedCallsUseUpNoReport() {
        RateLimiter logins = limiters.get("approached-failed").forKey(caller);
        resource.together = new CountDownLatch(9);
        List<CompletableFuture<Integer>> right = IntStream.range(0, 9)
                .mapToObj(login -> CompletableFuture.supplyAsync(() -> login("right"), threads)).toList();
        assertThat(right).allSatisfy(login -> assertThat(login.join()).isEqualTo(200));
        await().until(() -> logins.peek().remaining() == 10);
        assertThat(reports.of("approached-failed")).isEmpty();

        for (int login = 1; login <= 7; login++) {
            assertThat(login("wrong")).isEqualTo(401);
        }
        assertThat(reports.of("approached-failed")).isEmpty();
        assertThat(login("wrong")).isEqualTo(401);

        await().until(() -> reports.of("approached-failed"), List.of("default 2 of 10")::equals);
    }

    @Test
    void callOfCodeHasNoStatusAndIsReportedAtOnce() {
        RateLimiter code = limiters.get("approached-failed").forKey(caller);
        code.tryAcquire(8);
        assertThat(reports.of("approached-failed")).containsExactly("default 2 of 10");

        clock.advance(MINUTE);
        code.tryAcquire(1, Duration.ofSeconds(1));
        assertThat(reports.of("approached-failed")).containsExactly("default 2 of 10", "default 1 of 10");
    }

    @Test
    void callOfABeanIsReportedByTheStatusOfItsRequest() {
        given().header("X-Caller", caller).get("/approached/bean/200").then().statusCode(200);
        await().until(() -> limiters.get("approached-failed-bean").forKey(caller).peek().remaining() == 2);
        assertThat(reports.of("approached-failed-bean")).isEmpty();

        given().header("X-Caller", caller).get("/approached/bean/401").then().statusCode(401);
        await().until(() -> reports.of("approached-failed-bean"), List.of("default 1 of 2")::equals);

        bean.called(UUID.randomUUID().toString());
        assertThat(reports.of("approached-failed-bean")).as("without a request").hasSize(2);
    }

    @Test
    void nothingIsReportedWithoutACountOrWithoutTheProperty() {
        assertThat(given().get("/approached").statusCode()).isEqualTo(429);
        assertThat(limiters.get("approached-exempt").forKey("trusted").tryAcquire().allowed()).isTrue();
        limiters.get("approached-off").forKey(caller).tryAcquire(10);
        limiters.create("approached-made", Limit.tokenBucket(1)).forKey(caller).tryAcquire();

        assertThat(reports.reported).isEmpty();
        limiters.get("approached-exempt").forKey(caller).tryAcquire();
        assertThat(reports.reported).containsExactly("approached-exempt default 0 of 1");
    }

    private int login(String password) {
        return given().header("X-Caller", caller).get("/approached/login/" + password).statusCode();
    }

    private int send() {
        return given().header("X-Caller", caller).get("/approached").statusCode();
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Singleton
    public static class Bean {

        @RateLimited("approached-failed-bean")
        public void called(@RateLimitKey String caller) {
        }
    }

    @Path("/approached")
    @Singleton
    public static class Resource {

        @Inject
        Bean bean;

        CountDownLatch together;

        @GET
        @Path("bean/{status}")
        public Response bean(@HeaderParam("X-Caller") String caller, @PathParam("status") int status) {
            bean.called(caller);
            return Response.status(status).build();
        }

        /** Right logins are answered when all of them are there. */
        @GET
        @Path("login/{password}")
        @RateLimited("approached-failed")
        public Response login(@PathParam("password") String password) throws InterruptedException {
            if (password.equals("wrong")) {
                return Response.status(401).build();
            }
            together.countDown();
            return Response.status(together.await(10, TimeUnit.SECONDS) ? 200 : 500).build();
        }

        @GET
        @RateLimited("approached")
        public String once() {
            return "ok";
        }

        @GET
        @Path("route")
        @RateLimited("approached-route")
        public String route() {
            return "ok";
        }
    }

    @ApplicationScoped
    @Identifier("approached-gold")
    public static class Fifty implements RateLimitPlanResolver {

        @Override
        public Uni<RateLimitPlan> resolve(RateLimitCall call) {
            return Uni.createFrom().item(RateLimitPlan.of(Limit.tokenBucket(50).refill(50, Duration.ofDays(10))));
        }
    }

    /** What metrics get, before the call goes ahead. */
    @Singleton
    public static class Reports implements ApproachedLimits.Listener {

        final List<String> reported = new CopyOnWriteArrayList<>();

        @Override
        public void approached(Policy policy, RateLimitApproached approached) {
            reported.add(policy.name() + " " + String.join(", ", approached.limits().stream()
                    .map(limit -> limit.limit() + " " + limit.remaining() + " of " + limit.permits()).toList()));
        }

        List<String> of(String policy) {
            return reported.stream().filter(report -> report.startsWith(policy + " "))
                    .map(report -> report.substring(policy.length() + 1)).toList();
        }
    }

    @Singleton
    public static class Observer {

        final List<RateLimitApproached> events = new CopyOnWriteArrayList<>();
        volatile boolean blockingWasAllowed;

        void onApproached(@ObservesAsync RateLimitApproached approached) {
            blockingWasAllowed = BlockingOperationControl.isBlockingAllowed();
            events.add(approached);
        }
    }
}
