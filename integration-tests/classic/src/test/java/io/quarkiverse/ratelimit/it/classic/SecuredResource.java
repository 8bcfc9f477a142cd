package io.quarkiverse.ratelimit.it.classic;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** An endpoint for users alice, carol (role user) and bob (role guest), and assertions for both ways to authenticate. */
@Path("/secured")
public class SecuredResource {

    static QuarkusUnitTest application(boolean proactive) {
        return new QuarkusUnitTest()
                .withApplicationRoot(jar -> jar.addClasses(Limits.class, SecuredResource.class))
                .withConfiguration(Limits.threeAnHour("user", "principal") + Limits.threeAnHour("address", "ip")
                        + Limits.threeAnHour("own", "principal") + """
                                quarkus.http.auth.basic=true
                                quarkus.http.auth.proactive=%s
                                quarkus.http.auth.permission.path.paths=/secured/path
                                quarkus.http.auth.permission.path.policy=authenticated
                                quarkus.security.users.embedded.enabled=true
                                quarkus.security.users.embedded.plain-text=true
                                quarkus.security.users.embedded.users.alice=alice
                                quarkus.security.users.embedded.users.bob=bob
                                quarkus.security.users.embedded.users.carol=carol
                                quarkus.security.users.embedded.roles.alice=user
                                quarkus.security.users.embedded.roles.bob=guest
                                quarkus.security.users.embedded.roles.carol=user
                                """.formatted(proactive));
    }

    static void assertRequestsThatSecurityDeniesCostNothing() {
        assertDeniedBySecurity(401, get("/secured/address"));
        assertDeniedBySecurity(401, get("/secured/path"));
        assertDeniedBySecurity(401, given().auth().preemptive().basic("alice", "wrong").get("/secured/address"));
        assertDeniedBySecurity(403, as("bob", "/secured/address"));

        assertThat(left(as("alice", "/secured/address"))).isEqualTo("\"address\";r=2");
        assertThat(left(as("bob", "/secured/path"))).isEqualTo("\"address\";r=1");
    }

    static void assertEveryUserHasItsOwnCount() {
        assertThat(left(as("alice", "/secured/user"))).isEqualTo("\"user\";r=2");
        assertThat(left(as("alice", "/secured/user"))).isEqualTo("\"user\";r=1");
        assertThat(left(as("carol", "/secured/user"))).isEqualTo("\"user\";r=2");
        assertThat(left(get("/secured/user"))).isEqualTo("\"user\";r=2");
    }

    static void assertLimiterFindsTheCaller() {
        assertThat(left(as("alice", "/secured/own"))).isEqualTo("\"own\";r=2");
        for (int peek = 0; peek < 2; peek++) {
            assertThat(as("alice", "/secured/own/limit").asString()).isEqualTo("2 principal=alice");
            assertThat(as("carol", "/secured/own/limit").asString()).isEqualTo("3 principal=carol");
            assertThat(get("/secured/own/limit").asString()).isEqualTo("3 ip=127.0.0.1");
        }
        assertThat(left(as("alice", "/secured/own"))).isEqualTo("\"own\";r=1");
        assertThat(given().auth().preemptive().basic("alice", "wrong").get("/secured/own/limit").statusCode()).isEqualTo(401);
    }

    private static Response as(String user, String path) {
        return given().auth().preemptive().basic(user, user).get(path);
    }

    private static void assertDeniedBySecurity(int status, Response response) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(left(response)).isNull();
        assertThat(response.header("X-RateLimit-Limit")).isNull();
    }

    @Inject
    @RateLimitPolicy("own")
    RateLimiter limiter;

    @GET
    @Path("own")
    @RateLimited("own")
    public String own() {
        return "own";
    }

    @GET
    @Path("own/limit")
    public String ownLimit() {
        RateLimitDecision decision = limiter.forCaller().peek();
        return decision.remaining() + " " + decision.key();
    }

    @GET
    @Path("address")
    @RolesAllowed("user")
    @RateLimited("address")
    public String address() {
        return "address";
    }

    @GET
    @Path("path")
    @RateLimited("address")
    public String path() {
        return "path";
    }

    @GET
    @Path("user")
    @RateLimited("user")
    public String user() {
        return "user";
    }
}
