package io.quarkiverse.ratelimit.test.rest;

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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Where arguments count, Quarkus' security comes before the decision and the resource's own mapper after it. */
class ArgumentsAfterSecurityTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = SecuredResource.application(false)
            .overrideConfigKey("quarkus.rate-limit.policies.argument.permits", "3")
            .overrideConfigKey("quarkus.rate-limit.policies.argument.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.argument.key", "principal")
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, SecuredResource.class, Arguments.class));

    @Test
    void whatSecurityDeniesCostsNothing() {
        for (String path : new String[] { "/secured-arguments/plain/a", "/secured-arguments/uni/a" }) {
            for (int call = 0; call < 4; call++) {
                SecuredResource.assertDeniedBySecurity(401, get(path));
                SecuredResource.assertDeniedBySecurity(403, SecuredResource.as("bob", path));
            }
        }

        assertThat(left(SecuredResource.as("alice", "/secured-arguments/plain/a"))).isEqualTo("\"argument\";r=2");
        assertThat(left(SecuredResource.as("alice", "/secured-arguments/uni/a"))).isEqualTo("\"argument\";r=1");
        assertThat(left(SecuredResource.as("carol", "/secured-arguments/uni/a"))).isEqualTo("\"argument\";r=2");
    }

    @Test
    void mapperOfTheResourceCreatesTheResponse() {
        for (String path : new String[] { "/secured-arguments/plain/b", "/secured-arguments/uni/b" }) {
            for (int call = 0; call < 3; call++) {
                SecuredResource.as("alice", path);
            }

            var denied = SecuredResource.as("alice", path);

            assertThat(denied.statusCode()).isEqualTo(420);
            assertThat(denied.asString()).isEqualTo("mapped argument");
            assertThat(left(denied)).isEqualTo("\"argument\";r=0");
        }
    }

    @Path("/secured-arguments")
    @RolesAllowed("user")
    @RateLimited("argument")
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
