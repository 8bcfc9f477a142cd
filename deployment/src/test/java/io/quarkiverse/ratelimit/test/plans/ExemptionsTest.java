package io.quarkiverse.ratelimit.test.plans;

import static io.quarkiverse.ratelimit.test.plans.Users.as;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

/** Some callers are not limited: by their roles, or by their addresses. */
class ExemptionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Users.class, Resource.class, Bean.class))
            .withConfiguration(Users.configuration("admin", "user") + """
                    quarkus.http.proxy.proxy-address-forwarding=true
                    quarkus.http.proxy.trusted-proxies=127.0.0.1
                    quarkus.rate-limit.policies.role.key=global
                    quarkus.rate-limit.policies.role.permits=3
                    quarkus.rate-limit.policies.role.period=3h
                    quarkus.rate-limit.policies.role.exempt-roles=auditor,admin
                    quarkus.rate-limit.policies.address.key=ip
                    quarkus.rate-limit.policies.address.permits=3
                    quarkus.rate-limit.policies.address.period=3h
                    quarkus.rate-limit.policies.address.exempt-ips=203.0.113.0/24,2001:db8:7::/48,198.51.100.7
                    quarkus.rate-limit.policies.local.key=global
                    quarkus.rate-limit.policies.local.permits=3
                    quarkus.rate-limit.policies.local.period=3h
                    quarkus.rate-limit.policies.local.exempt-ips=127.0.0.0/8
                    quarkus.rate-limit.policies.other.key=ip
                    quarkus.rate-limit.policies.other.permits=3
                    quarkus.rate-limit.policies.other.period=3h
                    """);

    @Inject
    RateLimiters limiters;

    @Inject
    RedisDataSource redis;

    @Test
    void exemptRoleIsNeitherLimitedNorCounted() {
        limiters.get("role").forKey("anybody").reset();

        for (int call = 1; call <= 5; call++) {
            assertUnlimited(as("admin").get("/role"));
        }
        assertThat(as("user").get("/role").header("X-RateLimit-Remaining")).isEqualTo("2");
        assertThat(get("/role").header("X-RateLimit-Remaining")).isEqualTo("1");
    }

    @Test
    void exemptRoleIsNotLimitedWhenTheOthersAre() {
        limiters.get("role").forKey("anybody").charge(3);

        assertThat(as("user").get("/role").statusCode()).isEqualTo(429);
        assertUnlimited(as("admin").get("/role"));
    }

    @Test
    void beanCallsOfAnExemptCallerAreNotLimited() {
        limiters.get("role").forKey("anybody").charge(3);

        assertThat(as("user").get("/bean").statusCode()).isEqualTo(429);
        assertThat(as("admin").get("/bean").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "203.0.113.0", "203.0.113.255", "2001:db8:7:1:2:3:4:5", "198.51.100.7", "::ffff:203.0.113.9" })
    void exemptAddressIsNeitherLimitedNorCounted(String address) {
        for (int call = 1; call <= 5; call++) {
            assertUnlimited(from(address, "/address"));
        }
        assertThat(redis.key().keys("*203.0.113*")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "203.0.112.255", "203.0.114.0", "2001:db8:8::1", "198.51.100.8", "127.0.0.1" })
    void otherAddressesAreLimited(String address) {
        for (int call = 1; call <= 3; call++) {
            assertThat(from(address, "/address").statusCode()).isEqualTo(200);
        }
        assertThat(from(address, "/address").statusCode()).isEqualTo(429);
    }

    @Test
    void exemptAddressCannotBeClaimed() {
        assertThat(from("203.0.113.1, 192.0.2.99", "/address").header("X-RateLimit-Remaining")).isEqualTo("2");
    }

    @Test
    void addressInAHeaderThatDoesNotCountExemptsNobody() {
        assertThat(given().header("Forwarded", "for=203.0.113.1").get("/local").header("X-RateLimit-Remaining"))
                .isEqualTo("2");
        assertUnlimited(get("/local"));
    }

    @Test
    void otherPoliciesOfTheMethodLimitAllTheSame() {
        assertThat(from("203.0.113.9", "/both").header("RateLimit-Policy")).isEqualTo("\"other\";q=3;w=10800");
        assertThat(from("192.0.2.9", "/both").header("RateLimit-Policy")).contains("\"address\"").contains("\"other\"");
    }

    private static Response from(String address, String path) {
        return given().header("X-Forwarded-For", address).get(path);
    }

    private static void assertUnlimited(Response response) {
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().asList()).noneMatch(header -> header.getName().toLowerCase().contains("ratelimit"));
    }

    @Path("/")
    public static class Resource {

        @Inject
        Bean bean;

        @GET
        @Path("role")
        @RateLimited("role")
        public String role() {
            return "ok";
        }

        @GET
        @Path("address")
        @RateLimited("address")
        public String address() {
            return "ok";
        }

        @GET
        @Path("local")
        @RateLimited("local")
        public String local() {
            return "ok";
        }

        @GET
        @Path("both")
        @RateLimited("address")
        @RateLimited("other")
        public String both() {
            return "ok";
        }

        @GET
        @Path("bean")
        public String bean() {
            return bean.call();
        }
    }

    @ApplicationScoped
    public static class Bean {

        @RateLimited("role")
        String call() {
            return "called";
        }
    }
}
