package io.quarkiverse.ratelimit.it.classic;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** Parameters of a resource method are key and cost. */
class KeysTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(Limits.class, Resource.class, Bean.class, OfClass.class, User.class, Order.class))
            .withConfiguration(Limits.threeAnHour("path", "path:name") + Limits.threeAnHour("bean", "path:name")
                    + Limits.threeAnHour("parameters", "method")
                    + Limits.threeAnHour("of-class", "global") + """
                            quarkus.rate-limit.policies.body.permits=3
                            quarkus.rate-limit.policies.body.period=1h
                            quarkus.rate-limit.policies.body.missing-key=deny
                            """);

    @Test
    void pathParametersAreKeys() {
        assertThat(left(get("/keys/path/a"))).isEqualTo("\"path\";r=2");
        assertThat(left(get("/keys/path/a"))).isEqualTo("\"path\";r=1");
        assertThat(left(get("/keys/path/b"))).isEqualTo("\"path\";r=2");
    }

    @Test
    void limiterFindsThePathParametersOfTheResource() {
        get("/keys/path/c").then().statusCode(200);

        assertThat(get("/keys/left/c").asString()).isEqualTo("2");
        assertThat(get("/keys/left/d").asString()).isEqualTo("3");
    }

    @Test
    void propertyOfAJsonBodyIsTheKey() {
        assertThat(left(order("{\"user\":{\"name\":\"anna\",\"password\":\"1\"}}"))).isEqualTo("\"body\";r=2");
        assertThat(left(order("{\"user\":{\"name\":\"anna\",\"password\":\"2\"}}"))).isEqualTo("\"body\";r=1");
        assertThat(left(order("{\"user\":{\"name\":\"ben\",\"password\":\"1\"}}"))).isEqualTo("\"body\";r=2");
        assertThat(left(order("{\"user\":{\"name\":\"anna\"}}"))).isEqualTo("\"body\";r=0");

        Response denied = order("{\"user\":{\"name\":\"anna\"}}");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(order("{").statusCode()).isEqualTo(400);
    }

    @Test
    void bodyWithoutThePropertyIsAMissingKey() {
        for (String body : new String[] { "{}", "{\"user\":{}}", "{\"user\":null}" }) {
            assertThat(order(body).statusCode()).as(body).isEqualTo(429);
        }
    }

    private static Response order(String json) {
        return given().contentType("application/json").body(json).post("/keys/order");
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
        assertThat(left(get("/keys/" + kind + "/x?cost=2"))).isEqualTo("\"parameters\";r=1");
        assertThat(left(get("/keys/" + kind + "/y?cost=1"))).isEqualTo("\"parameters\";r=2");

        Response denied = get("/keys/" + kind + "/x?cost=2");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        assertThat(left(denied)).isEqualTo("\"parameters\";r=1");
    }

    @Test
    void propertyOfAnArgumentIsTheKey() {
        assertThat(left(get("/keys/property?user=alice:1"))).isEqualTo("\"parameters\";r=2");
        assertThat(left(get("/keys/property?user=alice:2"))).isEqualTo("\"parameters\";r=1");
        assertThat(left(get("/keys/property?user=bob:1"))).isEqualTo("\"parameters\";r=2");
    }

    @Test
    void limitOfTheClassChargesARequestOnce() {
        assertThat(left(get("/of-class/outer"))).isEqualTo("\"of-class\";r=2");
        assertThat(left(get("/of-class/inner/a"))).isEqualTo("\"of-class\";r=2");
        assertThat(left(get("/of-class/outer-argument/a"))).isEqualTo("\"of-class\";r=1");
        assertThat(left(get("/of-class/inner/a"))).isEqualTo("\"of-class\";r=0");
    }

    @Path("/of-class")
    @RateLimited("of-class")
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
        @RateLimitPolicy("path")
        RateLimiter paths;

        @GET
        @Path("path/{name}")
        @RateLimited("path")
        public String path() {
            return "path";
        }

        @GET
        @Path("left/{name}")
        public long ownLimit() {
            return paths.forCaller().peek().remaining();
        }

        @POST
        @Path("order")
        @RateLimited("body")
        public String order(@RateLimitKey("user.name") Order order) {
            return order.user().name();
        }

        @GET
        @Path("bean/{name}")
        public String bean() {
            return bean.call();
        }

        @GET
        @Path("value/{key}")
        @RateLimited("parameters")
        public String value(@RateLimitKey @PathParam("key") String key, @RateLimitCost @QueryParam("cost") long cost) {
            return key;
        }

        @GET
        @Path("property")
        @RateLimited("parameters")
        public String property(@RateLimitKey("name") @QueryParam("user") User user) {
            return user.name();
        }

        @GET
        @Path("stage/{key}")
        @RateLimited("parameters")
        public CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key,
                @RateLimitCost @QueryParam("cost") long cost) {
            return CompletableFuture.supplyAsync(() -> key);
        }
    }

    public record Order(User user) {
    }

    public record User(String name, String password) {
        public static User valueOf(String text) {
            return new User(text.split(":")[0], text.split(":")[1]);
        }
    }

    @ApplicationScoped
    public static class Bean {
        @RateLimited("bean")
        public String call() {
            return "called";
        }
    }
}
