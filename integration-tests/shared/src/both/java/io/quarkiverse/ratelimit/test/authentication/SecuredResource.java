package io.quarkiverse.ratelimit.test.authentication;

import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.security.PermitAll;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.restassured.response.Response;

/** Endpoints for users alice, carol (role user) and guest (role guest). */
@Path("/secured")
public class SecuredResource {

    public static Response as(String user, String path) {
        return given().auth().preemptive().basic(user, user).get(path);
    }

    public static void assertDeniedBySecurity(int status, Response response) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(left(response)).isNull();
        assertThat(response.header("X-RateLimit-Limit")).isNull();
    }

    @GET
    @Path("user")
    @RolesAllowed("user")
    @RateLimited("secured-user")
    public String user() {
        return "user";
    }

    @GET
    @Path("path")
    @RateLimited("secured-path")
    public String path() {
        return "path";
    }

    @GET
    @Path("open")
    @PermitAll
    @RateLimited("secured-open")
    public String open() {
        return "open";
    }

    @GET
    @Path("address")
    @PermitAll
    @RateLimited("secured-address")
    public String address() {
        return "address";
    }

    @GET
    @Path("address/roles")
    @RolesAllowed("user")
    @RateLimited("secured-roles")
    public String addressOfUser() {
        return "address";
    }
}
