package io.quarkiverse.ratelimit.test.authentication;

import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.as;
import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.assertDeniedBySecurity;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.mutiny.Uni;

/** Limits by arguments, where authentication is lazy. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class SecuredArgumentsTest {

    /** The decision waits for the arguments, which come after security. */
    @Test
    void whatSecurityDeniesCostsNothingWhereArgumentsCount() {
        for (String path : new String[] { "/secured-arguments/plain/a", "/secured-arguments/uni/a" }) {
            for (int call = 0; call < 4; call++) {
                assertDeniedBySecurity(401, get(path));
                assertDeniedBySecurity(403, as("guest", path));
            }
        }

        assertThat(left(as("alice", "/secured-arguments/plain/a"))).isEqualTo("\"secured-argument\";r=2");
        assertThat(left(as("alice", "/secured-arguments/uni/a"))).isEqualTo("\"secured-argument\";r=1");
        assertThat(left(as("carol", "/secured-arguments/uni/a"))).isEqualTo("\"secured-argument\";r=2");
    }

    @Test
    void mapperOfTheResourceCreatesTheResponse() {
        for (String path : new String[] { "/secured-arguments/plain/b", "/secured-arguments/uni/b" }) {
            for (int call = 0; call < 3; call++) {
                as("alice", path);
            }

            var denied = as("alice", path);

            assertThat(denied.statusCode()).isEqualTo(420);
            assertThat(denied.asString()).isEqualTo("mapped secured-argument");
            assertThat(left(denied)).isEqualTo("\"secured-argument\";r=0");
        }
    }

    @Path("/secured-arguments")
    @RolesAllowed("user")
    @RateLimited("secured-argument")
    public static class Arguments {

        @GET
        @Path("plain/{item}")
        public String plain(@RateLimitKey @PathParam("item") String item) {
            return item;
        }

        @GET
        @Path("uni/{item}")
        public Uni<String> uni(@RateLimitKey @PathParam("item") String item) {
            return Uni.createFrom().item(item);
        }

        @ServerExceptionMapper
        public RestResponse<String> map(RateLimitExceededException denial) {
            return RestResponse.ResponseBuilder.<String> create(420).entity("mapped " + denial.decision().policy()).build();
        }
    }
}
