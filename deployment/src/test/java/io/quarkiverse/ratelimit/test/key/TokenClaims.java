package io.quarkiverse.ratelimit.test.key;

import static io.restassured.RestAssured.given;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import jakarta.annotation.security.PermitAll;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.key.fixtures.SignedToken;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.security.Authenticated;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** What a limit reads from signed tokens, whenever they are verified. */
abstract class TokenClaims {

    static QuarkusUnitTest application(boolean proactive) {
        return new QuarkusUnitTest()
                .setForcedDependencies(List.of(
                        Dependency.of("io.quarkus", "quarkus-smallrye-jwt-deployment", Version.getVersion())))
                .withApplicationRoot(jar -> jar.addClasses(TokenClaims.class, SignedToken.class, Resource.class, Bean.class))
                .withConfiguration(policy("principal", "principal") + policy("claim", "claim:tenant")
                        + policy("several", "claim:sub,claim:tenant") + policy("nested", "claim:org/id")
                        + policy("url", "claim:https://acme.example/org/id") + policy("lacking-claim", "claim:org/di")
                        + policy("lacking-header", "header:X-Tenant") + policy("lacking-cookie", "cookie:tenant")
                        + policy("lacking-plan", "principal") + plan("lacking-plan") + policy("plan", "principal")
                        + plan("plan") + SignedToken.configuration()
                        + "quarkus.http.auth.proactive=" + proactive);
    }

    private static String policy(String name, String key) {
        return """
                quarkus.rate-limit.timeout=10s
                quarkus.rate-limit.policies.%1$s.permits=1000
                quarkus.rate-limit.policies.%1$s.period=1h
                quarkus.rate-limit.policies.%1$s.key=%2$s
                quarkus.rate-limit.policies.%1$s.missing-key=shared
                """.formatted(name, key);
    }

    private static String plan(String policy) {
        return """
                quarkus.rate-limit.policies.%1$s.plan=claim:org/plan
                quarkus.rate-limit.policies.%1$s.plans.gold.permits=2000
                """.formatted(policy);
    }

    @Inject
    RedisDataSource redis;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
    }

    private static int send(String path, JsonObject claims) {
        return given().auth().oauth2(SignedToken.of(claims)).get("/claims/" + path).statusCode();
    }

    @Test
    void nameOfTheTokenIsThePrincipal() {
        assertThat(send("principal", new JsonObject().put("sub", "1").put("upn", "alice"))).isEqualTo(200);

        assertThat(callers()).containsExactly("principal=alice");
    }

    @ParameterizedTest
    @ValueSource(strings = { "claim", "uni", "bean" })
    void claimIsReadWhereverItCounts(String path) {
        assertThat(send(path, new JsonObject().put("sub", "1").put("tenant", "acme"))).isEqualTo(200);

        assertThat(callers()).containsExactly("claim:tenant*" + digest("acme"));
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
            "\"acme\",         acme",
            "\"{a}|b\",        {a}|b",
            "42,               42",
            "4.5,              4.5",
            "true,             true",
            "false,            false",
            "[\"a\"],          [\"a\"]",
            "`[\"a\",\"b\"]`,  `[\"a\",\"b\"]`",
            "{\"id\":1},       {\"id\":1}"
    })
    void claimOfAnyTypeCountsByItsText(String json, String text) {
        assertThat(send("claim", new JsonObject("{\"sub\":\"1\",\"tenant\":" + json + "}"))).isEqualTo(200);

        assertThat(callers()).containsExactly("claim:tenant*" + digest(text));
    }

    @ParameterizedTest
    @ValueSource(strings = { "{}", "{\"tenant\":\"\"}", "{\"tenant\":null}", "{\"Tenant\":\"acme\"}" })
    void absentClaimIsMissing(String claims) {
        assertThat(send("claim", new JsonObject(claims).put("sub", "1"))).isEqualTo(200);

        assertThat(callers()).containsExactly("claim:tenant!");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
            "`{\"org\":{\"id\":\"acme\"}}`,                              acme",
            "`{\"org\":{\"id\":42}}`,                                    42",
            "`{\"org\":{\"id\":{\"a\":1}}}`,                             `{\"a\":1}`",
            "`{\"org/id\":\"acme\",\"org\":{\"id\":\"other\"}}`,           acme"
    })
    void claimWithinClaimsIsReadByItsPath(String claims, String text) {
        assertThat(send("nested", new JsonObject(claims).put("sub", "1"))).isEqualTo(200);

        assertThat(callers()).containsExactly("claim:org%2fid*" + digest(text));
    }

    @ParameterizedTest
    @ValueSource(strings = { "{}", "{\"org\":\"acme\"}", "{\"org\":{}}", "{\"org\":{\"id\":null}}", "{\"org\":{\"id\":\"\"}}",
            "{\"org\":[{\"id\":\"acme\"}]}", "{\"id\":\"acme\"}" })
    void claimThatIsNotAtTheEndOfThePathIsMissing(String claims) {
        assertThat(send("nested", new JsonObject(claims).put("sub", "1"))).isEqualTo(200);

        assertThat(callers()).containsExactly("claim:org%2fid!");
    }

    @ParameterizedTest
    @ValueSource(strings = { "{\"https://acme.example/org/id\":\"acme\"}", "{\"https://acme.example/org\":{\"id\":\"acme\"}}",
            "{\"https://acme.example\":{\"org\":{\"id\":\"acme\"}}}", "{\"https://acme.example\":{\"org/id\":\"acme\"}}" })
    void urlsAreNamesOfClaimsOnAPath(String claims) {
        assertThat(send("url", new JsonObject(claims).put("sub", "1"))).isEqualTo(200);

        assertThat(callers()).singleElement().asString().endsWith("*" + digest("acme"));
    }

    @Test
    void claimWithinClaimsSelectsThePlan() {
        JsonObject gold = new JsonObject().put("sub", "1").put("org", new JsonObject().put("plan", "gold"));

        assertThat(given().auth().oauth2(SignedToken.of(gold)).get("/claims/plan").header("X-RateLimit-Limit"))
                .isEqualTo("2000");
    }

    @ParameterizedTest
    @CsvSource({ "lacking-claim, claim:org/di, key", "lacking-header, header:x-tenant, key",
            "lacking-cookie, cookie:tenant, key",
            "lacking-plan, claim:org/plan, plan" })
    void firstAuthenticatedCallerThatLacksAValueIsAWarning(String policy, String value, String property) {
        try (Warnings warnings = new Warnings()) {
            given().get("/claims/" + policy);
            assertThat(warnings).as("of an anonymous caller").isEmpty();

            for (int call = 1; call <= 3; call++) {
                JsonObject claims = new JsonObject().put("sub", "1").put("org", new JsonObject().put("id", "acme"));
                assertThat(send(policy, claims)).isEqualTo(200);
            }

            assertThat(warnings).singleElement().asString().contains(
                    value + ", which quarkus.rate-limit.policies." + policy + "." + property + " names");
        }
    }

    @Test
    void severalClaimsAreParts() {
        send("several", new JsonObject().put("sub", "1").put("tenant", "acme").put("aud", new JsonArray().add("a")));

        assertThat(callers()).containsExactly("claim:sub*" + digest("1") + "|claim:tenant*" + digest("acme"));
    }

    @Test
    void anonymousCallerHasNoClaims() {
        assertThat(given().get("/claims/claim").statusCode()).isEqualTo(200);

        assertThat(callers()).containsExactly("claim:tenant!");
    }

    @Test
    void forgedTokenIsNotCounted() {
        String token = SignedToken.of(new JsonObject().put("sub", "1").put("tenant", "acme"));
        String forged = token.substring(0, token.lastIndexOf('.') - 2) + "AA" + token.substring(token.lastIndexOf('.'));

        assertThat(given().auth().oauth2(forged).get("/claims/claim").statusCode()).isEqualTo(401);

        assertThat(callers()).isEmpty();
    }

    private List<String> callers() {
        return redis.key().keys("*[^:]?").stream().map(key -> key.substring(key.indexOf('{') + 1, key.indexOf('}'))).toList();
    }

    private static String digest(String value) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** The warnings of the limiter while it is open. */
    private static final class Warnings extends Handler implements AutoCloseable, Iterable<String> {

        private final Logger logger = Logger.getLogger("io.quarkiverse.ratelimit");
        private final List<String> messages = new CopyOnWriteArrayList<>();

        Warnings() {
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                messages.add(((ExtLogRecord) entry).getFormattedMessage());
            }
        }

        @Override
        public Iterator<String> iterator() {
            return messages.iterator();
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
            logger.removeHandler(this);
        }
    }

    @ApplicationScoped
    public static class Bean {
        @RateLimited("claim")
        String claim() {
            return "claim";
        }
    }

    @PermitAll
    @Path("/claims")
    public static class Resource {

        @Inject
        Bean bean;

        @GET
        @Path("principal")
        @RateLimited("principal")
        public String principal() {
            return "principal";
        }

        @GET
        @Path("claim")
        @RateLimited("claim")
        public String claim() {
            return "claim";
        }

        @GET
        @Path("uni")
        @RateLimited("claim")
        public Uni<String> uni() {
            return Uni.createFrom().item("claim");
        }

        @GET
        @Path("bean")
        public String bean() {
            return bean.claim();
        }

        @GET
        @Path("nested")
        @RateLimited("nested")
        public String nested() {
            return "nested";
        }

        @GET
        @Path("url")
        @RateLimited("url")
        public String url() {
            return "url";
        }

        @GET
        @Path("plan")
        @RateLimited("plan")
        public String plan() {
            return "plan";
        }

        @GET
        @Path("lacking-claim")
        @RateLimited("lacking-claim")
        public String lackingClaim() {
            return "claim";
        }

        @GET
        @Authenticated
        @Path("lacking-header")
        @RateLimited("lacking-header")
        public String lackingHeader() {
            return "header";
        }

        @GET
        @Authenticated
        @Path("lacking-cookie")
        @RateLimited("lacking-cookie")
        public String lackingCookie() {
            return "cookie";
        }

        @GET
        @Path("lacking-plan")
        @RateLimited("lacking-plan")
        public String lackingPlan() {
            return "plan";
        }

        @GET
        @Path("several")
        @RateLimited("several")
        public String several() {
            return "several";
        }
    }
}
