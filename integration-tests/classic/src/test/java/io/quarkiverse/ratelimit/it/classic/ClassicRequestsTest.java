package io.quarkiverse.ratelimit.it.classic;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.entry.http.LimitedRequest;
import io.quarkiverse.ratelimit.test.rest.FailingRequest;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.vertx.ext.web.Router;

/** A body of JSON has the key, and a request whose decision cannot be applied gets a response. */
@QuarkusTest
class ClassicRequestsTest {

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
        return given().contentType("application/json").body(json).post("/classic/order");
    }

    @Test
    void requestIsAnsweredWhenItsDecisionCannotBeApplied() {
        given().header("X-Spoiled", FailingRequest.HEADERS).get("/classic/spoiled").then().statusCode(500);
    }

    @Path("/classic")
    public static class Resource {

        @POST
        @Path("order")
        @RateLimited("body")
        public String order(@RateLimitKey("user.name") Order order) {
            return order.user().name();
        }

        @GET
        @Path("spoiled")
        @RateLimited("spoiled")
        public String spoiled() {
            return "spoiled";
        }
    }

    public record Order(User user) {
    }

    public record User(String name, String password) {
    }

    /** Stores values on requests under the extension's own names. */
    @ApplicationScoped
    public static class Spoiling {

        void spoil(@Observes Router router, Instance<LimitedRequest.Shared> shared) {
            router.route("/classic/spoiled").order(-1_000).handler(routing -> {
                FailingRequest.limit(routing, routing.request().getHeader("X-Spoiled"), shared.get());
                routing.next();
            });
        }
    }
}
