package io.quarkiverse.ratelimit.test.key;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.test.fixtures.StateKeys;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

/** The parts of a key come from the request, however it is written. A request without a part is not counted here. */
@QuarkusTest
class KeyPartsTest {

    private static final String[] POLICIES = { "part-cookie", "part-query", "part-spaced", "part-header", "part-path",
            "part-order", "part-many" };
    private static final String ABSENT = "";
    /** Yet small enough to be read whole before it is denied, so that the response arrives. */
    private static final String TOO_LARGE = "a".repeat(30_000);

    @Inject
    RedisDataSource redis;

    @Inject
    Administration administration;

    @BeforeEach
    void nothingIsCounted() {
        redis.flushall();
        administration.reload().await().indefinitely();
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
            "session=abc, abc",
            "a=1; session=abc; b=2, abc",
            "session=abc; session=xyz, abc",
            "session=\"abc\", abc",
            "session=a=b, a=b",
            "session=ab!|*, ab!|*",
            "session={a}, {a}",
            "session=" + KeyPartsTest.DIGEST_OF_ABC + ", " + KeyPartsTest.DIGEST_OF_ABC,
            "session=, ``",
            "session, ``",
            "Session=abc, ``",
            "session=a b, ``",
            "session=\u00c3\u00ab, ``", // a cookie has ASCII only
            "session=\"abc, ``",
            "=abc, ``",
            ";;;, ``",
            "sessions=abc, ``"
    })
    void cookieIsTheFirstOfItsName(String header, String value) {
        assertThat(RawHttp.status("/parts/cookie", "Cookie: " + header)).isEqualTo(200);

        assertStored("cookie:session", value);
    }

    static final String DIGEST_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void firstOfTwoCookieHeadersCounts() {
        RawHttp.status("/parts/cookie", "Cookie: other=1", "Cookie: session=abc", "Cookie: session=xyz");

        assertStored("cookie:session", "abc");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
            "X-Key: abc, abc",
            "x-key:abc  , abc",
            "X-Key: a!|b*{c}=%7c, a!|b*{c}=%7c",
            "X-Key: \u00c3\u00ab, \u00eb", // in UTF-8
            "X-Key: \u00e2\u0082\u00ac, \u20ac",
            "X-Key: \u00eb, \u00eb", // in ISO-8859-1, like the following
            "X-Key: \u00eb\u00c3\u00ab, \u00eb\u00c3\u00ab",
            "X-Key: \u00c0\u00af, \u00c0\u00af", // not the shortest UTF-8 of a slash
            "X-Key:, ``",
            "X-Keys: abc, ``"
    })
    void headerIsTheFirstOfItsName(String header, String value) {
        RawHttp.status("/parts/header", header, "X-KEY: second");

        assertStored("header:x-key", value.isEmpty() && header.startsWith("X-Keys") ? "second" : value);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
            "?user=abc, abc",
            "?user=abc&user=xyz, abc",
            "?a=1&user=abc, abc",
            "?us%65r=abc, abc",
            "?user=a+b%20c, a b c",
            "?user=%7Ba%7D%7C%3D%2A%21, {a}|=*!",
            "?user=%00%1f, `\u0000\u001f`",
            "?user=%C3%AB, \u00eb",
            "?USER=abc, abc",
            "?user=, ``",
            "?user, ``",
            "?user=&user=abc, ``",
            "?users=abc, ``",
            "``, ``"
    })
    void queryParameterIsTheFirstOfItsName(String query, String value) {
        assertThat(RawHttp.status("/parts/query" + query)).isEqualTo(200);

        assertStored("query:user", value);
    }

    @ParameterizedTest
    @ValueSource(strings = { "query?user=%zz", "query?user=abc&other=%e", "path/%zz", "path/a%e" })
    void requestThatDoesNotDecodeIsNotCounted(String path) {
        assertThat(RawHttp.status("/parts/" + path)).isEqualTo(400);

        assertThat(callers()).isEmpty();
    }

    @Test
    void nameOfAQueryParameterIsTheDecodedOne() {
        RawHttp.status("/parts/spaced?user%20name=abc");

        assertStored("query:user%20name", "abc");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', value = {
            "acme, acme",
            "a%2Fb, a/b",
            "%7Ba%7D%7C, {a}|",
            "a+b, a+b",
            "ac%6De, acme"
    })
    void pathParameterIsDecoded(String path, String value) {
        assertThat(RawHttp.status("/parts/path/" + path)).isEqualTo(200);

        assertStored("path:tenant", value);
    }

    @Test
    void pathParameterThatTheMethodLacksIsMissing() {
        assertThat(RawHttp.status("/parts/no-path")).isEqualTo(200);

        assertStored("path:tenant", ABSENT);
    }

    @Test
    void pathParametersOfClassesAndLocatorsCount() {
        assertThat(RawHttp.status("/tenants/acme")).isEqualTo(200);
        assertStored("path:tenant", "acme");

        nothingIsCounted();
        assertThat(RawHttp.status("/tenants/acme/orders/7")).isEqualTo(200);
        assertThat(callers()).containsExactly("path:tenant*" + digest("acme") + "|path:order*" + digest("7"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "/tenants/acme/ledger", "/tenants/acme/orders/7/ledger" })
    void beanCalledByAResourceMethodSeesItsPathParameters(String path) {
        assertThat(RawHttp.status(path)).isEqualTo(200);

        assertStored("path:tenant", "acme");
    }

    @Test
    void partsAreStoredInTheOrderOfTheKey() {
        RawHttp.status("/parts/many/acme?user=u", "Cookie: session=c", "X-Key: h");

        assertThat(callers()).containsExactly("query:user*" + digest("u") + "|ip=127.0.0.1|path:tenant*" + digest("acme")
                + "|method=" + Parts.class.getName() + "#many()|cookie:session*" + digest("c") + "|header:x-key*"
                + digest("h"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "/parts/cookie", "/parts/header", "/parts/query" })
    void headersThatAreTooLargeNeverReachTheLimit(String path) {
        assertThat(RawHttp.status(path, "Cookie: session=" + TOO_LARGE)).isEqualTo(431);
        assertThat(RawHttp.status(path, "X-Key: " + TOO_LARGE)).isEqualTo(431);
        assertThat(RawHttp.status(path + "?user=" + TOO_LARGE)).isEqualTo(414);

        assertThat(callers()).isEmpty();
    }

    private void assertStored(String part, String value) {
        if (value.isEmpty()) {
            assertThat(callers()).isEmpty();
        } else {
            assertThat(callers()).containsExactly(part + "*" + digest(value));
        }
    }

    private Iterable<String> callers() {
        return StateKeys.of(redis, POLICIES).stream().map(key -> key.substring(key.indexOf('{') + 1, key.indexOf('}')))
                .toList();
    }

    private static String digest(String value) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(value.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Path("/parts")
    public static class Parts {

        @GET
        @Path("cookie")
        @RateLimited("part-cookie")
        public String cookie() {
            return "cookie";
        }

        @GET
        @Path("header")
        @RateLimited("part-header")
        public String header() {
            return "header";
        }

        @GET
        @Path("query")
        @RateLimited("part-query")
        public String query(@QueryParam("user") String user) {
            return "query";
        }

        @GET
        @Path("spaced")
        @RateLimited("part-spaced")
        public String spaced() {
            return "spaced";
        }

        @GET
        @Path("path/{tenant}")
        @RateLimited("part-path")
        public String path(@PathParam("tenant") String tenant) {
            return "path";
        }

        @GET
        @Path("no-path")
        @RateLimited("part-path")
        public String withoutPath() {
            return "path";
        }

        @GET
        @Path("many/{tenant}")
        @RateLimited("part-many")
        public String many() {
            return "many";
        }
    }

    @Path("/tenants/{tenant}")
    public static class Tenants {

        @Inject
        Ledger ledger;

        @GET
        @RateLimited("part-path")
        public String tenant() {
            return "tenant";
        }

        @GET
        @Path("ledger")
        public String ledger() {
            return ledger.write();
        }

        @Path("orders/{order}")
        public Orders order() {
            return new Orders(ledger);
        }
    }

    public static class Orders {

        private final Ledger ledger;

        Orders(Ledger ledger) {
            this.ledger = ledger;
        }

        @GET
        @RateLimited("part-order")
        public String order() {
            return "order";
        }

        @GET
        @Path("ledger")
        public String ledger() {
            return ledger.write();
        }
    }

    @ApplicationScoped
    public static class Ledger {

        @RateLimited("part-path")
        public String write() {
            return "written";
        }
    }
}
