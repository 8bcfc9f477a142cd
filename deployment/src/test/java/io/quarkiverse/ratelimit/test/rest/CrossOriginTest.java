package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;

import org.jboss.logmanager.ExtLogRecord;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.browser.Chromium;
import io.quarkus.test.QuarkusDevModeTest;

/** In a browser, the script of a page reads the rate limit headers of an API of another origin that allows it. */
@Tag("slow")
class CrossOriginTest {

    @RegisterExtension
    static final Chromium CHROMIUM = new Chromium("blocked by CORS policy", "net::ERR_FAILED", "favicon.ico");

    private static final Pattern PORT = Pattern.compile("Listening on: http://[^:]+:(\\d+)");

    @RegisterExtension
    static final QuarkusDevModeTest APP = new QuarkusDevModeTest()
            .withApplicationRoot(jar -> jar.addClass(Api.class).addAsResource(new StringAsset("""
                    quarkus.http.port=0
                    quarkus.rate-limit.timeout=10s
                    quarkus.rate-limit.policies.quotes.permits=1
                    quarkus.rate-limit.policies.quotes.period=1h
                    quarkus.rate-limit.policies.quotes.key=query:caller
                    quarkus.rate-limit.routes.files.paths=/api/files
                    quarkus.rate-limit.routes.files.policy=quotes
                    quarkus.http.cors.enabled=true
                    quarkus.http.cors.origins=/http://shop\\\\.localhost:.*/
                    quarkus.http.cors.exposed-headers=X-Own
                    """), "application.properties"))
            .setLogRecordPredicate(entry -> entry.getLoggerName().startsWith("io.quarkus"));

    private static final String FETCH = """
            const done = arguments[1];
            fetch(arguments[0]).then(response => {
                const read = { status: response.status };
                for (const name of ['Retry-After', 'RateLimit', 'X-RateLimit-Remaining', 'X-Own', 'X-Hidden']) {
                    read[name] = response.headers.get(name);
                }
                done(read);
            }, error => done({ error: error.name }));
            """;

    private int port;

    @TestFactory
    Stream<DynamicTest> pages() {
        port = APP.getLogRecords().stream().map(entry -> ((ExtLogRecord) entry).getFormattedMessage()).map(PORT::matcher)
                .filter(Matcher::find).mapToInt(listening -> Integer.parseInt(listening.group(1))).findFirst().orElseThrow();
        return Stream.of(
                dynamicTest("pageOfAnAllowedOriginReadsTheHeadersOfALimitedMethod", () -> headersAreRead("quotes")),
                dynamicTest("pageOfAnAllowedOriginReadsTheHeadersOfARoute", () -> headersAreRead("files")),
                dynamicTest("pageOfAnotherOriginLearnsNothing", this::nothingIsRead));
    }

    private void headersAreRead(String api) {
        openPageOf("shop");

        assertThat(fetch(api + "?caller=" + api)).containsEntry("status", 200L).containsEntry("Retry-After", null)
                .containsEntry("X-RateLimit-Remaining", "0").containsEntry("X-Own", "own").containsEntry("X-Hidden", null)
                .hasEntrySatisfying("RateLimit", value -> assertThat((String) value).startsWith("\"quotes\";r=0;t=3"));
        assertThat(fetch(api + "?caller=" + api)).containsEntry("status", 429L).containsEntry("X-RateLimit-Remaining", "0")
                .hasEntrySatisfying("Retry-After", value -> assertThat((String) value).matches("3[56]\\d\\d"))
                .hasEntrySatisfying("RateLimit", value -> assertThat((String) value).startsWith("\"quotes\";r=0;t=3"));
    }

    private void nothingIsRead() {
        openPageOf("stranger");

        assertThat(fetch("quotes?caller=stranger")).isEqualTo(Map.of("error", "TypeError"));
        assertThat(given().port(port).get("/api/quotes?caller=stranger").statusCode()).isEqualTo(200);
    }

    /** Browsers resolve all names below {@code localhost} to this computer. */
    private void openPageOf(String name) {
        CHROMIUM.driver().get("http://" + name + ".localhost:" + port + "/api/page");
    }

    private Object address(String path) {
        return "http://127.0.0.1:" + port + "/api/" + path;
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> fetch(String path) {
        return (Map<String, Object>) CHROMIUM.driver().executeAsyncScript(FETCH, address(path));
    }

    @Path("/api")
    public static class Api {

        @GET
        @Path("page")
        @Produces("text/html")
        public String page() {
            return "<!doctype html><title>Page</title>";
        }

        @GET
        @Path("quotes")
        @RateLimited("quotes")
        public Response quotes(@QueryParam("caller") String caller) {
            return Response.ok(caller).header("X-Own", "own").header("X-Hidden", "hidden").build();
        }

        @GET
        @Path("files")
        public Response files() {
            return Response.ok("file").header("X-Own", "own").header("X-Hidden", "hidden").build();
        }
    }
}
