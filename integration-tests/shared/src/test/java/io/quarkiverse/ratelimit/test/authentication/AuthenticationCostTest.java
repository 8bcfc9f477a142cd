package io.quarkiverse.ratelimit.test.authentication;

import static io.quarkiverse.ratelimit.test.authentication.SecuredResource.as;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.annotation.security.PermitAll;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.security.identity.AuthenticationRequestContext;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.SecurityIdentityAugmentor;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Callers are authenticated only where a limit needs to know them, and then once. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class AuthenticationCostTest {

    @Inject
    Augmentor augmentor;

    @Inject
    RedisDataSource redis;

    @Inject
    Administration administration;

    @BeforeEach
    void nobodyIsAuthenticated() {
        augmentor.calls.set(0);
        redis.flushall();
        administration.reload().await().indefinitely();
    }

    @ParameterizedTest
    @ValueSource(strings = { "ip", "ip-uni", "argument?user=a", "bean-ip", "bean-uni", "ignores", "free", "code" })
    void nobodyIsAuthenticatedForLimitsThatDoNotNeedIt(String path) {
        assertThat(as("alice", "/authenticated/" + path).statusCode()).isEqualTo(200);
        assertThat(get("/authenticated/" + path).statusCode()).isEqualTo(200);

        assertThat(augmentor.calls).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = { "principal", "argument-principal?user=a", "bean-principal", "everything", "reads" })
    void callerIsAuthenticatedOnceForAllLimits(String path) {
        assertThat(as("alice", "/authenticated/" + path).statusCode()).isEqualTo(200);

        assertThat(augmentor.calls).hasValue(1);
    }

    @Test
    void identityThatABeanReadsIsTheCallers() {
        assertThat(left(as("carol", "/authenticated/reads"))).isEqualTo("\"auth-reads\";r=2");
        assertThat(left(as("carol", "/authenticated/reads"))).isEqualTo("\"auth-reads\";r=1");
        assertThat(left(as("guest", "/authenticated/reads"))).isEqualTo("\"auth-reads\";r=2");
    }

    @Singleton
    public static class Augmentor implements SecurityIdentityAugmentor {

        final AtomicInteger calls = new AtomicInteger();

        @Override
        public Uni<SecurityIdentity> augment(SecurityIdentity identity, AuthenticationRequestContext context) {
            calls.incrementAndGet();
            return Uni.createFrom().item(identity);
        }
    }

    @ApplicationScoped
    @Identifier("auth-reads")
    public static class Named implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return call.identity().map(identity -> identity.getPrincipal().getName());
        }
    }

    @ApplicationScoped
    @Identifier("auth-ignores")
    public static class Addressed implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item(call.address());
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("auth-header")
        String ip() {
            return "ip";
        }

        @RateLimited("auth-header")
        Uni<String> uni() {
            return Uni.createFrom().item("uni");
        }

        @RateLimited("auth-principal")
        @RateLimited("auth-both")
        String principal() {
            return "principal";
        }
    }

    @PermitAll
    @Path("/authenticated")
    public static class Resource {

        @Inject
        Bean bean;

        @Inject
        RateLimiters limiters;

        @GET
        @Path("code")
        public String code() {
            return limiters.get("auth-code").forKey("alice").tryAcquire().policy();
        }

        @GET
        @Path("free")
        public String free() {
            return "free";
        }

        @GET
        @Path("ip")
        @RateLimited("auth-ip")
        public String ip() {
            return "ip";
        }

        @GET
        @Path("ip-uni")
        @RateLimited("auth-header")
        public Uni<String> ipUni() {
            return Uni.createFrom().item("ip");
        }

        @GET
        @Path("argument")
        @RateLimited("auth-ip")
        public String argument(@RateLimitKey @QueryParam("user") String user) {
            return "argument";
        }

        @GET
        @Path("argument-principal")
        @RateLimited("auth-principal")
        public String argumentPrincipal(@RateLimitKey @QueryParam("user") String user) {
            return "argument";
        }

        @GET
        @Path("bean-ip")
        public String beanIp() {
            return bean.ip();
        }

        @GET
        @Path("bean-uni")
        public Uni<String> beanUni() {
            return bean.uni();
        }

        @GET
        @Path("principal")
        @RateLimited("auth-principal")
        public String principal() {
            return "principal";
        }

        @GET
        @Path("bean-principal")
        public String beanPrincipal() {
            return bean.principal();
        }

        @GET
        @Path("everything")
        @RateLimited("auth-principal")
        @RateLimited("auth-reads")
        public String everything() {
            return bean.principal();
        }

        @GET
        @Path("reads")
        @RateLimited("auth-reads")
        public String reads() {
            return "reads";
        }

        @GET
        @Path("ignores")
        @RateLimited("auth-ignores")
        public String ignores() {
            return "ignores";
        }
    }
}
