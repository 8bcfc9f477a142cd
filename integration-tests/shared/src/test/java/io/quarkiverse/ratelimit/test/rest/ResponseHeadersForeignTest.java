package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.resteasy.reactive.ResponseHeader;
import org.jboss.resteasy.reactive.RestMulti;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.restassured.http.Header;
import io.restassured.http.Headers;
import io.restassured.specification.RequestSpecification;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.MultiMap;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** Responses with rate limit headers of another limiter, such as that of an upstream, get one set of headers. */
@QuarkusTest
class ResponseHeadersForeignTest {

    private static final Map<String, Header> HANDSHAKE = Map.of("key",
            new Header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), "upgrade", new Header("Upgrade", "websocket"),
            "connection", new Header("Connection", "Upgrade"));

    @ParameterizedTest
    @ValueSource(strings = { "response", "lower-case", "annotated", "filtered", "written", "thrown", "failed", "later",
            "stream",
            "empty", "http-filter/response", "plain", "plain/later", "routed", "routed/written" })
    void responseHasTheNumbersOfThisLimiterOnly(String path) {
        for (int remaining = 2; remaining >= 0; remaining--) {
            assertOurs(remaining, call(path));
        }

        assertOurs(0, call(path));
    }

    @ParameterizedTest
    @ValueSource(strings = { "response", "lower-case", "annotated", "filtered", "written", "thrown", "later", "stream", "empty",
            "http-filter/response", "plain", "plain/later", "routed", "routed/written" })
    void limitsOfTheOtherLimiterAreListedBesideThoseOfThisOne(String path) {
        Headers headers = call(path + "?list").headers();

        assertThat(headers.getValues("RateLimit-Policy")).hasSize(2).contains("\"upstream\";q=99;w=60")
                .anyMatch(policy -> policy.startsWith("\"foreign\";q=3"));
        assertThat(headers.getValues("RateLimit")).hasSize(2).contains("\"upstream\";r=77;t=9")
                .anyMatch(state -> state.startsWith("\"foreign\";r=2"));
    }

    @Test
    void bothLimitsOfARouteAndAMethodAreListed() {
        Headers headers = call("both").headers();

        assertThat(headers.getValues("RateLimit-Policy")).containsOnlyOnce("\"upstream\";q=99;w=60").hasSize(2);
        assertThat(headers.getValues("RateLimit")).hasSize(2).anySatisfy(
                states -> assertThat(states).contains("\"foreign-too\";r=2", "\"foreign\";r=2"));
        assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly("2");
    }

    /** Only WebSocket connections have no event when their response begins. */
    @ParameterizedTest
    @CsvSource({ "response, key", "later, key", "stream, key", "annotated, key", "plain, key", "routed, key", "written, key",
            "response, upgrade", "response, upgrade key", "later, upgrade key", "plain/later, upgrade key",
            "response, connection upgrade key", "routed, connection upgrade key", "plain, connection upgrade key" })
    void requestThatLooksLikeAHandshakeHasOneSetToo(String path, String parts) {
        RequestSpecification request = given().header("X-Path", path + parts);
        for (String part : parts.split(" ")) {
            request.header(HANDSHAKE.get(part));
        }

        io.restassured.response.Response response = request.get("/foreign/" + path);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.asString()).isNotEmpty();
        assertThat(response.contentType()).isEqualTo(given().header("X-Path", path + parts + " compared")
                .get("/foreign/" + path).contentType());
        assertOurs(2, response);
        assertThat(response.headers().getValues("RateLimit-Policy")).filteredOn(policy -> policy.contains("foreign"))
                .hasSize(1);
        assertThat(response.headers().getValues("RateLimit")).filteredOn(state -> state.contains("foreign")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = { "response", "lower-case", "annotated", "filtered", "later", "stream", "http-filter/response",
            "routed" })
    void limitsOfTheOtherLimiterStayWithAHandshakeToo(String path) {
        Headers headers = given().header("X-Path", path + " with a key").header(HANDSHAKE.get("key"))
                .get("/foreign/" + path + "?list").headers();

        assertThat(headers.getValues("RateLimit-Policy")).hasSize(2).contains("\"upstream\";q=99;w=60");
        assertThat(headers.getValues("RateLimit")).hasSize(2).contains("\"upstream\";r=77;t=9");
    }

    @Test
    void handshakeOverHttp2HasOneSetToo() throws Exception {
        URI uri = URI.create("http://localhost:" + ConfigProvider.getConfig().getValue("quarkus.http.test-port", int.class)
                + "/foreign/response");
        HttpResponse<String> response = HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri)
                .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==").header("X-Path", "over HTTP/2").build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.headers().allValues("X-RateLimit-Remaining")).containsExactly("2");
        assertThat(response.headers().allValues("RateLimit")).filteredOn(state -> state.contains("foreign")).hasSize(1);
    }

    @Test
    void bothLimitsOfARouteAndAMethodAreListedOnceWithAHandshake() {
        Headers headers = given().header("X-Path", "both with a key").header(HANDSHAKE.get("key")).get("/foreign/both")
                .headers();

        assertThat(headers.getValues("RateLimit")).filteredOn(states -> states.contains("foreign")).hasSize(1)
                .allSatisfy(states -> assertThat(states).contains("\"foreign-too\";r=2", "\"foreign\";r=2"));
        assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly("2");
    }

    @Test
    void deniedBeanCallHasOneSetToo() {
        for (int call = 1; call <= 3; call++) {
            assertThat(call("bean").headers().getValues("X-RateLimit-Remaining")).containsExactly("77");
        }

        assertOurs(0, call("bean"));
    }

    @Test
    void headersOfUnlimitedEndpointsStay() {
        Headers headers = call("unlimited").headers();

        assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly("77");
        assertThat(headers.getValues("X-RateLimit-Used")).containsExactly("22");
        assertThat(headers.getValues("RateLimit")).containsExactly("\"upstream\";r=77;t=9");
    }

    private static io.restassured.response.Response call(String path) {
        return given().header("X-Path", path).get("/foreign/" + path);
    }

    private static void assertOurs(int remaining, io.restassured.response.Response response) {
        Headers headers = response.headers();
        assertThat(headers.getValues("X-RateLimit-Limit")).containsExactly("3");
        assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly("" + remaining);
        assertThat(headers.getValues("X-RateLimit-Reset")).singleElement().asString().hasSize(10);
        assertThat(headers.getValues("X-RateLimit-Used")).isEmpty();
        assertThat(headers.getValues("RateLimit")).anyMatch(state -> state.startsWith("\"foreign\";r=" + remaining));
    }

    private static Response.ResponseBuilder foreign(Response.ResponseBuilder response) {
        return response.header("RateLimit-Policy", "\"upstream\";q=99;w=60").header("RateLimit", "\"upstream\";r=77;t=9")
                .header("X-RateLimit-Limit", 99).header("X-RateLimit-Remaining", 77).header("X-RateLimit-Reset", "9")
                .header("X-RateLimit-Used", 22);
    }

    private static void write(MultiMap headers) {
        headers.set("ratelimit-policy", "\"upstream\";q=99;w=60").set("ratelimit", "\"upstream\";r=77;t=9")
                .set("x-ratelimit-limit", "99").set("X-RATELIMIT-REMAINING", "77").add("x-ratelimit-reset", "9")
                .set("x-ratelimit-used", "22");
    }

    @Path("/foreign")
    @RateLimited("foreign")
    public static class Resource {

        @GET
        @Path("response")
        public Response response() {
            return foreign(Response.ok("response")).build();
        }

        @GET
        @Path("http-filter/response")
        public String setBefore() {
            return "set before";
        }

        @GET
        @Path("both")
        public Response both() {
            return foreign(Response.ok("both")).build();
        }

        @GET
        @Path("lower-case")
        public Response lowerCase() {
            return Response.ok("lower").header("ratelimit-policy", "\"upstream\";q=99;w=60")
                    .header("ratelimit", "\"upstream\";r=77;t=9").header("x-ratelimit-limit", 99)
                    .header("x-ratelimit-remaining", 77).header("x-ratelimit-reset", 9).header("x-ratelimit-used", 22).build();
        }

        @GET
        @Path("annotated")
        @ResponseHeader(name = "RateLimit-Policy", value = "\"upstream\";q=99;w=60")
        @ResponseHeader(name = "RateLimit", value = "\"upstream\";r=77;t=9")
        @ResponseHeader(name = "X-RateLimit-Limit", value = "99")
        @ResponseHeader(name = "X-RateLimit-Remaining", value = { "77", "78" })
        public String annotated() {
            return "annotated";
        }

        @GET
        @Path("filtered")
        @Upstream
        public String filtered() {
            return "filtered";
        }

        @GET
        @Path("written")
        public String written(RoutingContext routing) {
            write(routing.response().headers());
            return "written";
        }

        /** As a REST client throws the response of the upstream. */
        @GET
        @Path("thrown")
        public String thrown() {
            throw new WebApplicationException(foreign(Response.status(502)).build());
        }

        @GET
        @Path("failed")
        public String failed(RoutingContext routing) {
            write(routing.response().headers());
            throw new IllegalStateException("on purpose");
        }

        @GET
        @Path("later")
        public Uni<Response> later() {
            return Uni.createFrom().item(foreign(Response.ok("later")).build());
        }

        @GET
        @Path("stream")
        @Produces(MediaType.TEXT_PLAIN)
        public Multi<String> stream() {
            return RestMulti.fromMultiData(Multi.createFrom().items("a", "b")).header("RateLimit", "\"upstream\";r=77;t=9")
                    .header("RateLimit-Policy", "\"upstream\";q=99;w=60").header("x-ratelimit-remaining", "77").build();
        }

        @GET
        @Path("empty")
        public Response empty() {
            return foreign(Response.noContent()).build();
        }
    }

    @Path("/foreign")
    public static class Unlimited {

        @Inject
        Bean bean;

        @GET
        @Path("unlimited")
        public Response unlimited() {
            return foreign(Response.ok()).build();
        }

        @GET
        @Path("bean")
        @Upstream
        public String bean() {
            return bean.call();
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("foreign")
        public String call() {
            return "called";
        }
    }

    /** Handlers before and behind the routes of {@code quarkus.rate-limit.routes}, such as a reverse proxy. */
    @ApplicationScoped
    public static class Handlers {

        void before(@Observes Filters filters) {
            filters.register(routing -> {
                if (routing.request().path().startsWith("/foreign/http-filter/")) {
                    write(routing.response().headers());
                }
                routing.next();
            }, 400);
        }

        void behind(@Observes Router router) {
            router.get("/foreign/plain").handler(routing -> {
                write(routing.response().headers());
                routing.end("plain");
            });
            router.get("/foreign/plain/later").handler(routing -> {
                routing.addHeadersEndHandler(ignored -> write(routing.response().headers()));
                routing.response().setChunked(true).write("later").onComplete(written -> routing.end());
            });
        }
    }

    @Path("/foreign/routed")
    public static class Routed {

        @GET
        public Response routed() {
            return foreign(Response.ok("routed")).build();
        }

        @GET
        @Path("written")
        public String written(RoutingContext routing) {
            write(routing.response().headers());
            return "written";
        }
    }

    @NameBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Upstream {
    }

    @Provider
    @Upstream
    @Priority(Integer.MIN_VALUE)
    public static class UpstreamFilter implements ContainerResponseFilter {

        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) {
            foreign(Response.ok()).build().getHeaders().forEach((name, values) -> response.getHeaders().put(name, values));
        }
    }
}
