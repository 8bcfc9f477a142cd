package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Response;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitExceeded;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Methods of resources, whatever they return, get the same responses. */
@QuarkusTest
class ResponsesTest {

    @Inject
    Denials denials;

    @Test
    void eleventhCallInARowIsDenied() {
        for (int call = 1; call <= 10; call++) {
            when().get("/all-responses/quote").then().statusCode(200)
                    .header("RateLimit-Policy", is("\"response-quotes\";q=10;w=60"))
                    .header("RateLimit", matchesPattern("\"response-quotes\";r=" + (10 - call) + ";t=[1-6]"))
                    .header("X-RateLimit-Limit", is("10"))
                    .header("X-RateLimit-Remaining", is("" + (10 - call)));
        }

        when().get("/all-responses/quote").then().statusCode(429)
                .header("Retry-After", matchesPattern("[1-6]"))
                .header("Cache-Control", is("no-store"))
                .header("RateLimit", matchesPattern("\"response-quotes\";r=0;t=[1-6]"))
                .header("X-RateLimit-Remaining", is("0"))
                .contentType("application/problem+json")
                .body("type", is("https://iana.org/assignments/http-problem-types#quota-exceeded"))
                .body("title", is("Quota Exceeded"))
                .body("status", is(429))
                .body("'violated-policies'", is(List.of("response-quotes")));
    }

    @ParameterizedTest
    @ValueSource(strings = { "plain", "void", "response", "stage", "suspended" })
    void everyKindOfMethodIsCountedOnce(String kind) {
        assertCountedOnce("response-kind", "GET", "/all-responses/" + kind);
    }

    @ParameterizedTest
    @ValueSource(strings = { "broken", "broken-stage", "broken-suspended" })
    void headersSurviveAnUnmappedException(String kind) {
        for (int left = 2; left >= 0; left--) {
            var failed = call(kind);
            assertThat(failed.statusCode()).isEqualTo(500);
            assertThat(left(failed)).isEqualTo("\"response-kind\";r=" + left);
        }

        assertThat(call(kind).statusCode()).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = { "bean", "bean-stage" })
    void deniedBeanCallHasTheSameResponse(String kind) {
        for (int call = 1; call <= 3; call++) {
            assertUnlimited(call(kind));
        }

        call(kind).then().statusCode(429)
                .header("Retry-After", matchesPattern("1[12]\\d\\d"))
                .header("RateLimit", matchesPattern("\"response-bean\";r=0;t=1[12]\\d\\d"))
                .contentType("application/problem+json")
                .body("'violated-policies'", is(List.of("response-bean")));
    }

    @ParameterizedTest
    @ValueSource(strings = { "upstream", "upstream-lower-case", "upstream-thrown" })
    void headersOfAnotherLimiterAreReplacedOrListedBesideOurs(String kind) {
        for (int remaining = 2; remaining >= 0; remaining--) {
            var headers = call(kind).headers();

            assertThat(headers.getValues("X-RateLimit-Limit")).containsExactly("3");
            assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly("" + remaining);
            assertThat(headers.getValues("X-RateLimit-Used")).isEmpty();
            assertThat(String.join(", ", headers.getValues("RateLimit"))).contains("\"upstream\";r=77",
                    "\"response-kind\";r=" + remaining);
        }

        assertThat(call(kind).headers().getValues("X-RateLimit-Remaining")).containsExactly("0");
    }

    @Test
    void observersSeeADenial() {
        for (int call = 1; call <= 4; call++) {
            call("observed");
        }

        await().untilAsserted(() -> assertThat(denials.policies()).contains("response-observed"));
    }

    @Test
    void unlimitedMethodsAreNotLimited() {
        assertUnlimited(get("/all-responses/free"));
    }

    @Test
    void parallelRequestsGetNoMorePermitsThanThereAre() {
        List<CompletableFuture<Integer>> calls = Stream.generate(() -> CompletableFuture.supplyAsync(
                () -> given().header("X-Path", "parallel").get("/all-responses/plain").statusCode())).limit(40).toList();

        assertThat(calls.stream().map(CompletableFuture::join)).filteredOn(status -> status == 200).hasSize(3);
    }

    private static io.restassured.response.Response call(String kind) {
        return given().header("X-Path", kind).get("/all-responses/" + kind);
    }

    @Path("/all-responses")
    public static class Resource {

        @Inject
        Bean bean;

        @GET
        @Path("quote")
        @RateLimited("response-quotes")
        public String quote() {
            return "quote";
        }

        @GET
        @Path("plain")
        @RateLimited("response-kind")
        public String plain() {
            return "plain";
        }

        @GET
        @Path("upstream")
        @RateLimited("response-kind")
        public Response upstream() {
            return upstream(200).build();
        }

        @GET
        @Path("upstream-lower-case")
        @RateLimited("response-kind")
        public Response lowerCase() {
            return Response.ok().header("x-ratelimit-remaining", 77).header("ratelimit", "\"upstream\";r=77").build();
        }

        @GET
        @Path("upstream-thrown")
        @RateLimited("response-kind")
        public String thrown() {
            throw new WebApplicationException(upstream(502).build());
        }

        private static Response.ResponseBuilder upstream(int status) {
            return Response.status(status).header("X-RateLimit-Remaining", 77).header("X-RateLimit-Used", 22)
                    .header("RateLimit", "\"upstream\";r=77");
        }

        @GET
        @Path("observed")
        @RateLimited("response-observed")
        public String observed() {
            return "observed";
        }

        @GET
        @Path("void")
        @RateLimited("response-kind")
        public void nothing() {
        }

        @GET
        @Path("response")
        @RateLimited("response-kind")
        public Response response() {
            return Response.ok("response").build();
        }

        @GET
        @Path("stage")
        @RateLimited("response-kind")
        public CompletionStage<String> stage() {
            return CompletableFuture.supplyAsync(() -> "stage");
        }

        @GET
        @Path("suspended")
        @RateLimited("response-kind")
        public void suspended(@Suspended AsyncResponse response) {
            CompletableFuture.runAsync(() -> response.resume("suspended"));
        }

        @GET
        @Path("broken")
        @RateLimited("response-kind")
        public String broken() {
            throw new IllegalStateException("broken on purpose");
        }

        @GET
        @Path("broken-stage")
        @RateLimited("response-kind")
        public CompletionStage<String> brokenStage() {
            return CompletableFuture.supplyAsync(this::broken);
        }

        @GET
        @Path("broken-suspended")
        @RateLimited("response-kind")
        public void brokenSuspended(@Suspended AsyncResponse response) {
            CompletableFuture.runAsync(() -> response.resume(new IllegalStateException("broken on purpose")));
        }

        @GET
        @Path("bean")
        public String callsBean() {
            return bean.call();
        }

        @GET
        @Path("bean-stage")
        public CompletionStage<String> callsBeanLater() {
            return bean.callLater();
        }

        @GET
        @Path("free")
        public String free() {
            return "free";
        }
    }

    @ApplicationScoped
    @RateLimited("response-bean")
    public static class Bean {

        public String call() {
            return "called";
        }

        public CompletionStage<String> callLater() {
            return CompletableFuture.completedFuture("called");
        }
    }

    @ApplicationScoped
    public static class Denials {

        private final List<String> policies = new CopyOnWriteArrayList<>();

        List<String> policies() {
            return policies;
        }

        void denied(@ObservesAsync RateLimitExceeded exceeded) {
            policies.add(exceeded.policy());
        }
    }
}
