package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.security.PermitAll;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** Endpoints for users alice, carol (role user) and bob (role guest), and what must hold whenever they authenticate. */
@Path("/secured")
public class SecuredResource {

    static QuarkusUnitTest application(boolean proactive) {
        return new QuarkusUnitTest()
                .withApplicationRoot(jar -> jar.addClasses(Limits.class, SecuredResource.class))
                .withConfiguration(Limits.threeAnHour("user", "principal") + Limits.threeAnHour("path", "principal")
                        + Limits.threeAnHour("open", "principal") + Limits.threeAnHour("address", "ip") + """
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

    static Response as(String user, String path) {
        return given().auth().preemptive().basic(user, user).get(path);
    }

    static void assertDeniedBySecurity(int status, Response response) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(left(response)).isNull();
        assertThat(response.header("X-RateLimit-Limit")).isNull();
    }

    @GET
    @Path("user")
    @RolesAllowed("user")
    @RateLimited("user")
    public String user() {
        return "user";
    }

    @GET
    @Path("path")
    @RateLimited("path")
    public String path() {
        return "path";
    }

    @GET
    @Path("open")
    @PermitAll
    @RateLimited("open")
    public String open() {
        return "open";
    }

    @GET
    @Path("address")
    @PermitAll
    @RateLimited("address")
    public String address() {
        return "address";
    }

    @GET
    @Path("address/roles")
    @RolesAllowed("user")
    @RateLimited("address")
    public String addressOfUser() {
        return "address";
    }
}
