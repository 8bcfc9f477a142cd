package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.restassured.RestAssured.given;

import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.specification.RequestSpecification;
import io.smallrye.mutiny.Uni;

/** A bean called while a request is served counts its caller; outside of requests parts of the key are missing. */
@QuarkusTest
class RequestCallerTest {

    @Inject
    Service service;

    @Test
    void addressIsTheRequestsAndOutsideOneCountForAll() {
        assertStatus(given(), "/calls/ip", 200, 200, 429);

        assertAllows(2, service::ip);
    }

    @Test
    void headerIsTheRequestsAndItsLimitIsSharedWithTheEndpoint() {
        assertStatus(given().header("X-Client", "a"), "/calls/header", 200);
        assertStatus(given().header("X-Client", "a"), "/calls/endpoint", 200, 429);
        assertStatus(given().header("X-Client", "a"), "/calls/header", 429);
        assertStatus(given().header("X-Client", "b"), "/calls/header", 200, 200, 429);

        assertAllows(0, service::header);
    }

    @Test
    void principalIsTheRequestsOnWorkersAndEventLoops() {
        assertStatus(as("alice"), "/calls/principal", 200);
        assertStatus(as("alice"), "/calls/principal-uni", 200, 429);
        assertStatus(as("bob"), "/calls/principal-uni", 200);
        assertStatus(as("bob"), "/calls/principal", 200, 429);
    }

    @Test
    void forbiddenCallsCostNothing() {
        assertStatus(as("alice"), "/calls/admin", 403, 403, 403, 403);
        assertStatus(given(), "/calls/admin", 401, 401, 401);
        assertStatus(as("bob"), "/calls/admin", 200, 200, 429);
    }

    @Test
    void inheritedMethodIsCountedOnceAsEndpointAndAsBean() {
        assertStatus(given(), "/inherited", 200, 200, 429);

        assertAllows(2, service::inherited);
    }

    private static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, user);
    }

    private static void assertStatus(RequestSpecification client, String path, int... statuses) {
        for (int status : statuses) {
            given().spec(client).when().get(path).then().statusCode(status);
        }
    }

    public abstract static class Base {
        @RateLimited("ip")
        public String inherited() {
            return "inherited";
        }
    }

    @Path("/inherited")
    public interface Endpoint {
        @GET
        String inherited();
    }

    @ApplicationScoped
    public static class InheritingResource extends Base implements Endpoint {
    }

    @ApplicationScoped
    public static class Service extends Base {

        @RateLimited("ip")
        public void ip() {
        }

        @RateLimited("header")
        public void header() {
        }

        @RateLimited("request-principal")
        public void principal() {
        }

        @RateLimited("request-principal")
        public Uni<Void> principalUni() {
            return Uni.createFrom().voidItem();
        }

        @RolesAllowed("admin")
        @RateLimited("ip")
        public void admin() {
        }
    }

    @Path("/calls")
    public static class Calls {

        @Inject
        Service service;

        @GET
        @Path("{call}")
        public String call(@PathParam("call") String call) {
            switch (call) {
                case "ip" -> service.ip();
                case "header" -> service.header();
                case "principal" -> service.principal();
                default -> service.admin();
            }
            return call;
        }

        @GET
        @Path("principal-uni")
        public Uni<String> principal() {
            return service.principalUni().replaceWith("principal");
        }

        @GET
        @Path("endpoint")
        @RateLimited("header")
        public String endpoint() {
            return "endpoint";
        }
    }
}
