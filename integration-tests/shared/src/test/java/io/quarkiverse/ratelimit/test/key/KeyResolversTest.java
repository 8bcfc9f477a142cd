package io.quarkiverse.ratelimit.test.key;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.container.ContainerRequestContext;

import org.jboss.logmanager.ExtLogRecord;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.test.fixtures.CheckedLog;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Beans of the application resolve the caller, at any time and on any thread. What they do not resolve is missing. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class KeyResolversTest {

    private static final String SECRET = "s3cr3t";

    @RegisterExtension
    static final CheckedLog LOG = new CheckedLog(record -> record.getLoggerName().startsWith("io.quarkiverse.ratelimit"),
            records -> {
                assertThat(records).extracting(record -> ((ExtLogRecord) record).getFormattedMessage())
                        .noneMatch(message -> message.contains(SECRET));
                assertThat(warnings()).as("one a minute").doesNotHaveDuplicates().isSubsetOf(failing("throws"),
                        failing("fails"), failing("hangs"));
            });

    @Inject
    RedisDataSource redis;

    @Inject
    Administration administration;

    @Inject
    BeanResolvers resolvers;

    @Inject
    Bean bean;

    private static List<String> warnings() {
        return LOG.records().stream().filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .map(entry -> ((ExtLogRecord) entry).getFormattedMessage().replaceFirst(" with .*", "")).toList();
    }

    private static String failing(String name) {
        return "The RateLimitKeyResolver \"" + name + "\" fails";
    }

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
        administration.reload().await().indefinitely();
    }

    private static Response send(String path, String user) {
        return given().header("X-User", user).get("/resolved/" + path);
    }

    @ParameterizedTest
    @ValueSource(strings = { "now", "later", "loop" })
    void everyResolvedKeyHasACountOfItsOwn(String bean) {
        assertThat(send(bean, SECRET).header("RateLimit")).startsWith("\"" + bean + "\";r=1");
        assertThat(send(bean, SECRET).header("RateLimit")).startsWith("\"" + bean + "\";r=0");
        assertThat(send(bean, SECRET).statusCode()).isEqualTo(429);
        assertThat(send(bean, "bob").header("RateLimit")).startsWith("\"" + bean + "\";r=1");

        assertThat(redis.key().keys("*[^:]?")).hasSize(2)
                .allMatch(key -> key.matches("rate-limit:\\{bean:" + bean + "\\*[0-9a-f]{64}}:" + bean + ":default:tb1"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "nothing", "null", "empty" })
    void emptyKeyIsMissing(String bean) {
        for (int call = 0; call < 3; call++) {
            assertThat(send(bean, "alice").header("RateLimit")).isNull();
        }

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    @Test
    void failureIsMissingAndWarnedOfUntilTheBeanWorksAgain() {
        for (String user : new String[] { "throw", "throw", "alice", "throw" }) {
            assertThat(send("throws", user).header("RateLimit") == null).isEqualTo(user.equals("throw"));
        }
        for (int call = 0; call < 2; call++) {
            assertThat(send("fails", "alice").header("RateLimit")).isNull();
        }
        assertThat(warnings()).contains(failing("throws"), failing("fails"));
    }

    @Test
    void hangingBeanLeavesTimeForRedis() {
        long began = System.nanoTime();

        assertThat(send("hangs", "alice").header("RateLimit")).startsWith("\"hangs\";r=1");

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(6));
        assertThat(redis.key().keys("*[^:]?")).containsExactly("rate-limit:{bean:hangs!}:hangs:default:tb1");
        assertThat(warnings()).contains(failing("hangs"));
    }

    @Test
    void beanIsCalledOncePerCallForAllPolicies() {
        int before = resolvers.counted.get();

        assertThat(send("counted", "alice").header("RateLimit")).contains("\"counted\";r=1", "\"counted-too\";r=1");

        assertThat(resolvers.counted.get()).isEqualTo(before + 1);
    }

    @Test
    void beanSeesTheWholeCall() {
        given().header("X-User", "alice").cookie("c", "cookie").get("/resolved/all/7?q=query");

        assertThat(resolvers.seen).isEqualTo(Resource.class.getName()
                + "#all(java.lang.String) 127.0.0.1 alice cookie query 7 null ");
    }

    @Test
    void outsideOfRequestsBeanSeesNone() {
        CompletableFuture.runAsync(bean::all).join();

        assertThat(resolvers.seen).isEqualTo(Bean.class.getName() + "#all() null null null null null null null");
    }

    @Test
    void beanOfADependentScopeIsMadeOnce() {
        send("tenant", "alice");
        send("tenant", "alice");

        assertThat(Tenant.MADE).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = { "now", "later", "loop" })
    void methodRunsWhereItWouldWithinItsRequest(String bean) {
        assertThat(send(bean, "carol").asString()).isEqualTo("worker visited by carol");
        assertThat(send(bean + "/uni", "carol").asString()).isEqualTo("event loop visited by carol");
        assertThat(send(bean + "/bean", "dave").asString()).isEqualTo("worker visited by dave");
    }

    @Singleton
    public static class BeanResolvers {

        final AtomicInteger counted = new AtomicInteger();
        volatile String seen;

        @Inject
        Vertx vertx;

        @Produces
        @Singleton
        @Identifier("now")
        RateLimitKeyResolver now() {
            return call -> Uni.createFrom().item(call.header("X-User"));
        }

        @Produces
        @Singleton
        @Identifier("later")
        RateLimitKeyResolver later() {
            return call -> Uni.createFrom().emitter(emitter -> new Thread(() -> {
                Thread.yield();
                emitter.complete(call.header("X-User"));
            }).start());
        }

        @Produces
        @Singleton
        @Identifier("loop")
        RateLimitKeyResolver loop() {
            return call -> Uni.createFrom().emitter(emitter -> vertx.getOrCreateContext()
                    .runOnContext(ignored -> emitter.complete(call.header("X-User"))));
        }

        @Produces
        @Singleton
        @Identifier("nothing")
        RateLimitKeyResolver nothing() {
            return call -> Uni.createFrom().nullItem();
        }

        @Produces
        @Singleton
        @Identifier("null")
        RateLimitKeyResolver noUni() {
            return call -> null;
        }

        @Produces
        @Singleton
        @Identifier("empty")
        RateLimitKeyResolver empty() {
            return call -> Uni.createFrom().item("");
        }

        @Produces
        @Singleton
        @Identifier("throws")
        RateLimitKeyResolver throwing() {
            return call -> {
                if (call.header("X-User").equals("throw")) {
                    throw new IllegalStateException("throws");
                }
                return Uni.createFrom().item("user");
            };
        }

        @Produces
        @Singleton
        @Identifier("fails")
        RateLimitKeyResolver failing() {
            return call -> Uni.createFrom().completionStage(CompletableFuture.failedFuture(new IllegalStateException("fails")));
        }

        @Produces
        @Singleton
        @Identifier("hangs")
        RateLimitKeyResolver hanging() {
            return call -> Uni.createFrom().nothing();
        }

        @Produces
        @Singleton
        @Identifier("counted")
        RateLimitKeyResolver counting() {
            return call -> {
                counted.incrementAndGet();
                return Uni.createFrom().item("user");
            };
        }

        @Produces
        @Singleton
        @Identifier("counted-too")
        RateLimitKeyResolver unused() {
            return call -> Uni.createFrom().item("user");
        }

        @Produces
        @Singleton
        @Identifier("whole-call")
        RateLimitKeyResolver all() {
            return call -> call.identity().map(identity -> {
                seen = call.method() + ' ' + call.address() + ' ' + call.header("X-User") + ' ' + call.cookie("c") + ' '
                        + call.query("q") + ' ' + call.path("id") + ' ' + call.key() + ' '
                        + (identity == null ? null : identity.getPrincipal().getName());
                return seen;
            }).replaceIfNullWith("nobody");
        }
    }

    @Dependent
    @Identifier("tenant")
    public static class Tenant implements RateLimitKeyResolver {

        static final AtomicInteger MADE = new AtomicInteger();

        Tenant() {
            MADE.incrementAndGet();
        }

        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item("acme");
        }
    }

    @RequestScoped
    public static class Visit {

        private String user;

        void by(String user) {
            this.user = user;
        }

        String text() {
            return (BlockingOperationControl.isBlockingAllowed() ? "worker" : "event loop") + " visited by " + user;
        }
    }

    @ApplicationScoped
    public static class Bean {

        @Inject
        Visit visit;

        @RateLimited("now")
        @RateLimited("later")
        @RateLimited("loop")
        String text() {
            return visit.text();
        }

        @RateLimited("whole-call")
        void all() {
        }
    }

    @Path("/resolved")
    public static class Resource {

        @Inject
        Visit visit;

        @Inject
        Bean bean;

        @ServerRequestFilter(preMatching = true)
        public void visited(ContainerRequestContext request) {
            visit.by(request.getHeaderString("X-User"));
        }

        @GET
        @Path("now")
        @RateLimited("now")
        public String now() {
            return visit.text();
        }

        @GET
        @Path("now/uni")
        @RateLimited("now")
        public Uni<String> nowUni() {
            return Uni.createFrom().item(visit.text());
        }

        @GET
        @Path("later")
        @RateLimited("later")
        public String later() {
            return visit.text();
        }

        @GET
        @Path("later/uni")
        @RateLimited("later")
        public Uni<String> laterUni() {
            return Uni.createFrom().item(visit.text());
        }

        @GET
        @Path("loop")
        @RateLimited("loop")
        public String loop() {
            return visit.text();
        }

        @GET
        @Path("loop/uni")
        @RateLimited("loop")
        public Uni<String> loopUni() {
            return Uni.createFrom().item(visit.text());
        }

        @GET
        @Path("{bean}/bean")
        public String bean() {
            return bean.text();
        }

        @GET
        @Path("nothing")
        @RateLimited("nothing")
        public String nothing() {
            return "nothing";
        }

        @GET
        @Path("null")
        @RateLimited("null")
        public String noUni() {
            return "null";
        }

        @GET
        @Path("empty")
        @RateLimited("empty")
        public String empty() {
            return "empty";
        }

        @GET
        @Path("throws")
        @RateLimited("throws")
        public String throwing() {
            return "throws";
        }

        @GET
        @Path("fails")
        @RateLimited("fails")
        public String fails() {
            return "fails";
        }

        @GET
        @Path("hangs")
        @RateLimited("hangs")
        public String hangs() {
            return "hangs";
        }

        @GET
        @Path("counted")
        @RateLimited("counted")
        @RateLimited("counted-too")
        public String counted() {
            return "counted";
        }

        @GET
        @Path("tenant")
        @RateLimited("tenant")
        public String tenant() {
            return "tenant";
        }

        @GET
        @Path("all/{id}")
        @RateLimited("whole-call")
        public String all(@PathParam("id") String id) {
            return "all";
        }
    }
}
