package io.quarkiverse.ratelimit.test.api;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.Response;

import org.eclipse.microprofile.context.ManagedExecutor;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.specification.RequestSpecification;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;

/** A limiter finds the caller of the request that is being served, as limited methods do, and no other. */
@QuarkusTest
class CurrentCallerTest {

    private static final String PREFIX = "\"caller-";

    @Inject
    RateLimiters limiters;

    @Inject
    RedisDataSource redis;

    @Inject
    Service service;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
    }

    @ParameterizedTest
    @ValueSource(strings = { "blocking", "uni", "bean", "bean-uni", "executor", "later" })
    void peekSeesWhatTheMethodIsChargedAndChangesNothing(String kind) {
        RequestSpecification user = request("user");
        given().spec(user).get("/current/charged/7").then().statusCode(200);
        String left = given().spec(user).get("/current/charged/7").then().statusCode(200).extract().header("RateLimit");
        assertThat(left).contains("caller-ip\";r=8", "caller-plan\";r=18", "caller-plan-bean\";r=98");
        List<String> states = states();

        for (String policy : left.split(", ")) {
            String name = policy.substring(PREFIX.length(), policy.indexOf("\";"));
            String remaining = policy.replaceAll(".*;r=(\\d+).*", "$1");
            for (int peek = 0; peek < 2; peek++) {
                String shown = peek(user, kind, name);
                assertThat(shown).as(policy).endsWith(" " + remaining + " true REDIS");
                String key = shown.substring(0, shown.indexOf(' '));
                assertThat(redis.key().exists("rate-limit:{" + key + "}:caller-" + name + ":default:tb1")
                        || name.equals("global")).as(shown).isTrue();
            }
        }
        assertThat(states()).isEqualTo(states);
        assertThat(left.split(", ")).hasSize(13);
    }

    /** The content of all keys. */
    private List<String> states() {
        return redis.key().keys("rate-limit:*:caller-*").stream().sorted()
                .map(key -> key + ' ' + Arrays.toString(redis.execute("DUMP", key).toBytes())).toList();
    }

    @Test
    void peekOfACallerWithoutCallsWritesNothing() {
        assertThat(peek(request("user"), "blocking", "principal")).endsWith(" 10 true REDIS");
        assertThat(redis.key().keys("rate-limit:*:caller-*")).isEmpty();
    }

    @Test
    void noOtherCallersLimitsAreVisible() {
        for (int call = 0; call < 3; call++) {
            given().spec(request("user")).get("/current/charged/7").then().statusCode(200);
        }
        RequestSpecification attacker = given().auth().preemptive().basic("admin", "secret")
                .header("X-Forwarded-For", "203.0.113.7").header("Forwarded", "for=203.0.113.7")
                .header("X-Real-IP", "203.0.113.7")
                .header("X-Forwarded-User", "user").header("Remote-User", "user").queryParam("principal", "user")
                .cookie("principal", "user");

        for (String policy : List.of("principal", "several", "plan", "header", "cookie", "query", "path", "bean",
                "plan-bean")) {
            String others = peek(request("user"), "blocking", policy);
            String shown = given().spec(attacker).get("/current/blocking/" + policy + "/8").asString();
            assertThat(shown.split(" ")[0]).as(policy).isNotEqualTo(others.split(" ")[0]);
            assertThat(shown).as(policy).endsWith(" 10 true REDIS");
        }
        limiters.get("caller-ip").forKey("203.0.113.7").charge(5);
        assertThat(peek(attacker, "blocking", "ip")).isEqualTo("ip=127.0.0.1 7 true REDIS");
        given().auth().preemptive().basic("user", "guess").get("/current/blocking/principal/7").then().statusCode(401);
    }

    @Test
    void limiterThatABeanKeepsFindsTheCallerOfEachRequest() {
        limiters.get("caller-principal").forKey("user").charge(5);

        assertThat(peek(request("user"), "kept", "principal")).isEqualTo("principal=user 5 true REDIS");
        assertThat(peek(request("admin"), "kept", "principal")).isEqualTo("principal=admin 10 true REDIS");
        assertThatIllegalStateException().isThrownBy(() -> service.kept()).withMessageContaining("forKey(...)");
        assertThatIllegalStateException().isThrownBy(() -> service.limiter().reset());
        assertThatIllegalStateException().isThrownBy(() -> service.limiter().reserve(1));
    }

    @ParameterizedTest
    @CsvSource({ "deny,0 false REDIS MISSING_KEY", "skip,10 true NOT_LIMITED", "shadow,10 true NOT_LIMITED",
            "off,10 true NOT_LIMITED", "exempt-role,10 true NOT_LIMITED", "exempt-ip,10 true NOT_LIMITED",
            "exempt-key,10 true NOT_LIMITED", "unlimited,10 true NOT_LIMITED" })
    void callersWithoutKeyAndExemptOnesAreDecidedAsByTheMethod(String policy, String expected) {
        RequestSpecification user = request("user");

        assertThat(peek(user, "blocking", policy)).endsWith(' ' + expected);
        assertThat(peek(user, "uni", policy)).endsWith(' ' + expected);
        for (String operation : List.of("try", "wait", "reserve", "charge")) {
            assertThat(operate(user, operation, policy)).as(operation).endsWith(' ' + expected);
        }
        for (String operation : List.of("reset", "unblock")) {
            assertThat(operate(user, operation, policy)).as(operation).isEqualTo("done");
        }
        assertThat(redis.key().keys("rate-limit:*:caller-*")).isEmpty();
        int status = policy.equals("deny") ? 429 : 200;
        given().spec(user).get("/current/charged-" + policy).then().statusCode(status);
        given().spec(user).get("/current/throw/" + policy).then().statusCode(status);
    }

    @ParameterizedTest
    @CsvSource({ "exempt-role", "exempt-key", "unlimited" })
    void othersAreLimited(String policy) {
        RequestSpecification other = given().auth().preemptive().basic("admin", "secret").header("X-Key", "b");

        given().spec(other).get("/current/charged-" + policy).then().statusCode(200);
        assertThat(peek(other, "blocking", policy)).endsWith(" 9 true REDIS");
    }

    @ParameterizedTest
    @ValueSource(strings = { "ip", "principal", "bean", "global", "plan" })
    void allOperationsAreForTheCaller(String policy) {
        RequestSpecification user = request("user");
        int all = policy.equals("plan") ? 20 : 10;

        assertThat(operate(user, "try", policy)).endsWith(" " + (all - 1) + " true REDIS");
        assertThat(operate(user, "wait", policy)).endsWith(" " + (all - 2) + " true REDIS");
        assertThat(operate(user, "charge", policy)).endsWith(" " + (all - 5) + " true REDIS");
        assertThat(operate(user, "reserve", policy)).as("settled").endsWith(" " + (all - 6) + " true REDIS");
        assertThat(operate(user, "refund", policy)).isEqualTo("done");
        assertThat(peek(user, "blocking", policy)).endsWith(" " + (all - 6) + " true REDIS");
        assertThat(given().spec(user).get("/current/charged/7").header("RateLimit"))
                .contains(PREFIX + policy + "\";r=" + (all - 7));
        assertThat(operate(user, "block", policy)).isEqualTo("done");
        assertThat(peek(user, "blocking", policy)).endsWith(" false REDIS BLOCKED");
        given().spec(user).get("/current/charged/7").then().statusCode(429);
        assertThat(operate(user, "unblock", policy)).isEqualTo("done");
        assertThat(operate(user, "reset", policy)).isEqualTo("done");
        assertThat(peek(user, "blocking", policy)).endsWith(" " + all + " true REDIS");
    }

    @Test
    void outsideOfARequestTheErrorSaysWhatToDo() throws Exception {
        assertNoRequest(() -> limiters.get("caller-ip").forCaller());
        assertNoRequest(() -> limiters.get("caller-principal").reactive().forCaller());
        assertNoRequest(() -> limiters.get("caller-global").forCaller());
        assertNoRequest(() -> service.withRequestContext());
        assertThat(service.atStart()).isInstanceOf(IllegalStateException.class).hasMessageContaining("forKey(...)");
        given().spec(request("user")).get("/current/thread/principal/7").then().statusCode(500);
    }

    private static void assertNoRequest(Runnable call) {
        assertThatIllegalStateException().isThrownBy(call::run)
                .withMessageContainingAll("caller-", "no HTTP request", "forKey(...)");
    }

    @Test
    void filterThatRunsBeforeMatchingHasNoPathParameters() {
        String shown = given().spec(request("user")).header("X-Before-Matching", "path").get("/current/blocking/path/7")
                .then().statusCode(200).extract().asString();

        assertThat(shown).isEqualTo("ip=127.0.0.1 10 true REDIS");
    }

    @Test
    void keyThatARequestDoesNotContainIsAMistake() {
        assertUnsupported(limiters.get("code-ten"), "quarkus.rate-limit.policies.code-ten.key");
        assertUnsupported(limiters.get("two-parts"), "two-parts", "method,principal", "each method");
        assertUnsupported(limiters.get("caller-keyed-by-argument"), "quarkus.rate-limit.policies.caller-keyed-by-argument.key");
        assertUnsupported(limiters.create("caller-created", Limit.fixedWindow(1, Duration.ofDays(1))), "caller-created");
    }

    @Test
    void keyThatMethodsExtendCountsTheCallerWithoutTheirArguments() {
        assertThat(operate(request("user"), "try", "argument")).isEqualTo("principal=user 9 true REDIS");
        assertThat(limiters.get("caller-argument").forKey("user").peek().remaining()).isEqualTo(9);
    }

    private static void assertUnsupported(RateLimiter limiter, String... words) {
        assertThatThrownBy(limiter::forCaller).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("forKey(...)").hasMessageContainingAll(words);
        assertThatThrownBy(limiter.reactive()::forCaller).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void blockingMethodsFailOnAnEventLoop() {
        assertThat(peek(request("user"), "event-loop", "principal")).contains("cannot be blocked");
    }

    private static RequestSpecification request(String user) {
        return given().auth().preemptive().basic(user, "secret").header("X-Key", "a").header("X-User", "u").cookie("c", "a")
                .header("X-Tenant", "big-a").queryParam("user", " User");
    }

    private static String peek(RequestSpecification request, String kind, String policy) {
        return given().spec(request).get("/current/" + kind + '/' + policy + "/7").then().statusCode(200).extract().asString();
    }

    private static String operate(RequestSpecification request, String operation, String policy) {
        return given().spec(request).queryParam("policy", policy).get("/current/operate/" + operation + "/7").then()
                .statusCode(200).extract().asString();
    }

    private static String shown(RateLimitDecision decision) {
        return decision.key() + ' ' + decision.remaining() + ' ' + decision.allowed() + ' ' + decision.source()
                + decision.denialReason().map(reason -> " " + reason).orElse("");
    }

    @ApplicationScoped
    public static class Service {

        @Inject
        RateLimiters limiters;

        private volatile RateLimiter kept;
        private volatile Exception atStart;

        void start(@Observes StartupEvent started) {
            try {
                limiters.get("caller-ip").forCaller();
            } catch (IllegalStateException e) {
                atStart = e;
            }
        }

        @ActivateRequestContext
        void withRequestContext() {
            limiters.get("caller-principal").forCaller();
        }

        RateLimiter of(String policy) {
            return limiters.get("caller-" + policy).forCaller();
        }

        String peek(String policy) {
            return shown(of(policy).peek());
        }

        Uni<String> peekUni(String policy) {
            return of(policy).reactive().peek().map(CurrentCallerTest::shown);
        }

        String kept() {
            if (kept == null) {
                kept = of("principal");
            }
            return shown(kept.peek());
        }

        RateLimiter limiter() {
            return kept;
        }

        Exception atStart() {
            return atStart;
        }

        @RateLimited("caller-argument")
        void call(@RateLimitKey String argument) {
        }

        @RateLimited("caller-keyed-by-argument")
        void keyedByArgument(@RateLimitKey String argument) {
        }
    }

    public static class BeforeMatching {

        @Inject
        Service service;

        @ServerRequestFilter(preMatching = true)
        public Uni<Response> filter(ContainerRequestContext request) {
            String policy = request.getHeaderString("X-Before-Matching");
            return policy == null ? Uni.createFrom().nullItem()
                    : service.peekUni(policy).map(shown -> Response.ok(shown).build());
        }
    }

    @Path("/current")
    public static class Resource {

        @Inject
        RateLimiters limiters;

        @Inject
        Service service;

        @Inject
        ManagedExecutor executor;

        private RateLimiter of(String policy) {
            return limiters.get("caller-" + policy).forCaller();
        }

        @GET
        @Path("charged/{id}")
        @RateLimited("caller-ip")
        @RateLimited("caller-principal")
        @RateLimited("caller-header")
        @RateLimited("caller-cookie")
        @RateLimited("caller-query")
        @RateLimited("caller-path")
        @RateLimited("caller-bean")
        @RateLimited("caller-several")
        @RateLimited("caller-global")
        @RateLimited("caller-by-address")
        @RateLimited("caller-shared")
        @RateLimited("caller-plan")
        @RateLimited("caller-plan-bean")
        public String charged() {
            return "charged";
        }

        @GET
        @Path("charged-deny")
        @RateLimited("caller-deny")
        public String deny() {
            return "ok";
        }

        @GET
        @Path("charged-skip")
        @RateLimited("caller-skip")
        public String skip() {
            return "ok";
        }

        @GET
        @Path("charged-shadow")
        @RateLimited("caller-shadow")
        public String shadow() {
            return "ok";
        }

        @GET
        @Path("charged-off")
        @RateLimited("caller-off")
        public String off() {
            return "ok";
        }

        @GET
        @Path("charged-exempt-role")
        @RateLimited("caller-exempt-role")
        public String exemptRole() {
            return "ok";
        }

        @GET
        @Path("charged-exempt-ip")
        @RateLimited("caller-exempt-ip")
        public String exemptIp() {
            return "ok";
        }

        @GET
        @Path("charged-exempt-key")
        @RateLimited("caller-exempt-key")
        public String exemptKey() {
            return "ok";
        }

        @GET
        @Path("charged-unlimited")
        @RateLimited("caller-unlimited")
        public String unlimited() {
            return "ok";
        }

        @GET
        @Path("blocking/{policy}/{id}")
        public String blocking(@PathParam("policy") String policy) {
            return shown(of(policy).peek());
        }

        @GET
        @Path("uni/{policy}/{id}")
        public Uni<String> uni(@PathParam("policy") String policy) {
            return of(policy).reactive().peek().map(CurrentCallerTest::shown);
        }

        @GET
        @Path("bean/{policy}/{id}")
        public String bean(@PathParam("policy") String policy) {
            return service.peek(policy);
        }

        @GET
        @Path("bean-uni/{policy}/{id}")
        public Uni<String> beanUni(@PathParam("policy") String policy) {
            return service.peekUni(policy);
        }

        /** A thread with the context of the request. */
        @GET
        @Path("executor/{policy}/{id}")
        public Uni<String> executor(@PathParam("policy") String policy) {
            return Uni.createFrom().completionStage(executor.supplyAsync(() -> service.peek(policy)));
        }

        /** Subscribed on a thread without the context of the request. */
        @GET
        @Path("later/{policy}/{id}")
        public Uni<String> later(@PathParam("policy") String policy) {
            ReactiveRateLimiter limiter = limiters.get("caller-" + policy).reactive().forCaller();
            Uni<RateLimitDecision> peek = limiter.peek();
            CompletableFuture<String> shown = new CompletableFuture<>();
            new Thread(() -> peek.subscribe().with(decision -> shown.complete(shown(decision)), shown::completeExceptionally))
                    .start();
            return Uni.createFrom().completionStage(shown);
        }

        @GET
        @Path("thread/{policy}/{id}")
        public String thread(@PathParam("policy") String policy) throws Exception {
            var thread = Executors.newSingleThreadExecutor();
            try {
                return thread.submit(() -> service.peek(policy)).get();
            } finally {
                thread.shutdown();
            }
        }

        @GET
        @Path("kept/{policy}/{id}")
        public String kept() {
            return service.kept();
        }

        @GET
        @Path("event-loop/{policy}/{id}")
        @NonBlocking
        public String eventLoop(@PathParam("policy") String policy) {
            try {
                return shown(of(policy).peek());
            } catch (IllegalStateException e) {
                return e.getMessage();
            }
        }

        @GET
        @Path("throw/{policy}")
        public String throwing(@PathParam("policy") String policy) {
            return shown(of(policy).acquireOrThrow());
        }

        @GET
        @Path("operate/{operation}/{id}")
        public String operate(@PathParam("operation") String operation, @QueryParam("policy") String policy) {
            RateLimiter limiter = of(policy);
            switch (operation) {
                case "try":
                    return shown(limiter.tryAcquire());
                case "wait":
                    return shown(limiter.tryAcquire(1, Duration.ofSeconds(1)));
                case "charge":
                    return shown(limiter.charge(3));
                case "reserve":
                    RateLimitReservation reservation = limiter.reserve(2);
                    return shown(reservation.settle(1));
                case "refund":
                    limiter.refund(limiter.tryAcquire(2));
                    break;
                case "reset":
                    limiter.reset();
                    break;
                case "block":
                    limiter.block(Duration.ofMinutes(1));
                    break;
                default:
                    limiter.unblock();
            }
            return "done";
        }
    }
}
