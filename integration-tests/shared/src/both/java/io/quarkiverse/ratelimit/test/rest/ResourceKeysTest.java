package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;

/** Parameters of a resource method are key and cost. */
@QuarkusTest
class ResourceKeysTest {

    @Test
    void pathParametersAreKeys() {
        assertThat(left(get("/keys/path/a"))).isEqualTo("\"keys-path\";r=2");
        assertThat(left(get("/keys/path/a"))).isEqualTo("\"keys-path\";r=1");
        assertThat(left(get("/keys/path/b"))).isEqualTo("\"keys-path\";r=2");
    }

    @Test
    void limiterFindsThePathParametersOfTheResource() {
        get("/keys/path/c").then().statusCode(200);

        assertThat(get("/keys/left/c").asString()).isEqualTo("2");
        assertThat(get("/keys/left/d").asString()).isEqualTo("3");
    }

    @Test
    void beansSeeThePathParametersOfTheResource() {
        for (int call = 1; call <= 3; call++) {
            assertUnlimited(get("/keys/bean/a"));
        }

        assertThat(get("/keys/bean/a").statusCode()).isEqualTo(429);
        assertUnlimited(get("/keys/bean/b"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "value", "stage" })
    void argumentsAreKeysAndCostsAndAreDecidedOnce(String kind) {
        assertThat(left(get("/keys/" + kind + "/x?cost=2"))).isEqualTo("\"keys-parameters\";r=1");
        assertThat(left(get("/keys/" + kind + "/y?cost=1"))).isEqualTo("\"keys-parameters\";r=2");

        Response denied = get("/keys/" + kind + "/x?cost=2");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(left(denied)).isEqualTo("\"keys-parameters\";r=1");
    }

    @Test
    void argumentBelongsToTheKeyOfItsPolicyOnly() {
        for (String user : new String[] { "alice", "bob", "carol" }) {
            assertThat(left(get("/keys/divided/" + user))).startsWith("\"keys-argument\";r=2, ");
        }

        assertThat(left(get("/keys/divided/dave"))).isEqualTo("\"keys-argument\";r=3, \"keys-global\";r=0");
    }

    @Test
    void invalidCostIsABadRequest() {
        for (String kind : new String[] { "value", "stage" }) {
            assertThat(left(get("/keys/" + kind + "/zero?cost=0"))).isEqualTo("\"keys-parameters\";r=3");
            Response invalid = get("/keys/" + kind + "/zero?cost=-1");

            assertThat(invalid.statusCode()).isEqualTo(400);
            assertThat(invalid.contentType()).startsWith("application/problem+json");
            assertThat(invalid.jsonPath().getString("detail")).isEqualTo("The cost must be 0 to 1000000000, but is -1.");
            assertThat(invalid.headers().asList()).noneMatch(header -> header.getName().contains("RateLimit"));
        }
    }

    @Test
    void propertyOfAnArgumentIsTheKey() {
        assertThat(left(get("/keys/property?user=alice:1"))).isEqualTo("\"keys-parameters\";r=2");
        assertThat(left(get("/keys/property?user=alice:2"))).isEqualTo("\"keys-parameters\";r=1");
        assertThat(left(get("/keys/property?user=bob:1"))).isEqualTo("\"keys-parameters\";r=2");
    }

    @Test
    void limitOfTheClassChargesARequestOnce() {
        assertThat(left(get("/of-class/outer"))).isEqualTo("\"keys-of-class\";r=2");
        assertThat(left(get("/of-class/inner/a"))).isEqualTo("\"keys-of-class\";r=2");
        assertThat(left(get("/of-class/outer-argument/a"))).isEqualTo("\"keys-of-class\";r=1");
        assertThat(left(get("/of-class/inner/a"))).isEqualTo("\"keys-of-class\";r=0");
    }

    @Path("/of-class")
    @RateLimited("keys-of-class")
    public static class OfClass {

        @GET
        @Path("outer")
        public String outer() {
            return business(inner("a"));
        }

        @GET
        @Path("inner/{key}")
        public String inner(@RateLimitKey @PathParam("key") String key) {
            return key;
        }

        @GET
        @Path("outer-argument/{key}")
        public String outerArgument(@RateLimitKey @PathParam("key") String key) {
            return business(inner(key));
        }

        public String business(String text) {
            return text;
        }
    }

    @Path("/keys")
    public static class Resource {

        @Inject
        Bean bean;

        @Inject
        @RateLimitPolicy("keys-path")
        RateLimiter paths;

        @GET
        @Path("path/{name}")
        @RateLimited("keys-path")
        public String path() {
            return "path";
        }

        @GET
        @Path("left/{name}")
        public long ownLimit() {
            return paths.forCaller().peek().remaining();
        }

        @GET
        @Path("bean/{name}")
        public String bean() {
            return bean.call();
        }

        @GET
        @Path("value/{key}")
        @RateLimited("keys-parameters")
        public String value(@RateLimitKey @PathParam("key") String key, @RateLimitCost @QueryParam("cost") long cost) {
            return key;
        }

        @GET
        @Path("divided/{user}")
        @RateLimited("keys-argument")
        @RateLimited("keys-global")
        public String divided(@RateLimitKey(policies = "keys-argument") @PathParam("user") String user) {
            return user;
        }

        @GET
        @Path("property")
        @RateLimited("keys-parameters")
        public String property(@RateLimitKey("name") @QueryParam("user") User user) {
            return user.name();
        }

        @GET
        @Path("stage/{key}")
        @RateLimited("keys-parameters")
        public CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key,
                @RateLimitCost @QueryParam("cost") long cost) {
            return CompletableFuture.supplyAsync(() -> key);
        }
    }

    public record User(String name, String password) {
        public static User valueOf(String text) {
            return new User(text.split(":")[0], text.split(":")[1]);
        }
    }

    @ApplicationScoped
    public static class Bean {
        @RateLimited("keys-bean")
        public String call() {
            return "called";
        }
    }
}
