package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.quarkiverse.ratelimit.test.rest.Limits.left;
import static io.restassured.RestAssured.get;
import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.test.fixtures.ScriptCalls;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.Response;
import io.smallrye.mutiny.Uni;

@QuarkusTest
class BeanCallsTest {

    @Inject
    RedisDataSource redis;

    @Test
    void resourceMethodsCalledByOtherBeansAreNotCounted() {
        assertUnlimited(get("/front/method"));

        assertThat(left(get("/limited/method"))).isEqualTo("\"bean-method\";r=2");
    }

    @Test
    void otherMethodsOfALimitedResourceClassAreNotCounted() {
        assertUnlimited(get("/front/business"));

        assertThat(left(get("/limited"))).isEqualTo("\"bean-class\";r=2");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/front/mail", "/front/uni", "/front/generic", "/front/not-public" })
    void deniedBeanCallHasTheResponseOfADeniedRequest(String path) {
        for (int call = 1; call <= 3; call++) {
            assertUnlimited(get(path));
        }

        Response denied = get(path);

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo("application/problem+json");
        Limits.assertRetryAfter(1200, denied);
        assertThat(denied.header("X-RateLimit-Remaining")).isEqualTo("0");
        assertThat(denied.header("RateLimit-Policy")).isEqualTo("\"mail\";q=3;w=3600");
        assertThat(left(denied)).isEqualTo("\"mail\";r=0");
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("mail");
    }

    @Test
    void denialOfAPolicyThatIsNotConfiguredHasAResponseToo() {
        Response denied = get("/front/elsewhere");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.header("Retry-After")).isEqualTo("2");
        assertThat(denied.jsonPath().getList("violated-policies")).containsExactly("else\"where");
    }

    @Test
    void unlimitedEndpointsSendNothingToRedis() {
        get("/front/limited");

        ScriptCalls.assertCalls(redis, 0, () -> assertUnlimited(get("/front/free")));
        int before = ScriptCalls.count(redis);
        get("/front/limited");
        assertThat(ScriptCalls.count(redis)).isGreaterThan(before);
    }

    @Path("/limited")
    @RateLimited("bean-class")
    @ApplicationScoped
    public static class FilterLimited {
        @GET
        public String byClass() {
            return "class";
        }

        @GET
        @Path("method")
        @RateLimited("bean-method")
        public String byMethod() {
            return "method";
        }

        public String business() {
            return "business";
        }

        @GET
        @Path("not-public")
        @RateLimited("mail")
        String notPublic() {
            return "no endpoint";
        }
    }

    @Path("/front")
    public static class Front {
        @Inject
        FilterLimited limited;
        @Inject
        Mailer mailer;
        @Inject
        Sender<String> sender;

        @GET
        @Path("free")
        public String free() {
            return "free";
        }

        @GET
        @Path("limited")
        @RateLimited("front")
        public String limited() {
            return "limited";
        }

        @GET
        @Path("method")
        public String method() {
            return limited.byMethod();
        }

        @GET
        @Path("business")
        public String business() {
            return limited.business();
        }

        @GET
        @Path("mail")
        public String mail() {
            return mailer.send();
        }

        @GET
        @Path("not-public")
        public String notPublic() {
            return limited.notPublic();
        }

        @GET
        @Path("elsewhere")
        public String elsewhere() {
            throw new RateLimitExceededException(Decision.recorded(unknown(), "", 0, 0, RateLimitDecision.Source.REDIS,
                    List.of(new LimitUsage("default", Limit.concurrency(1), false, 1, 0, ZERO, Duration.ofMillis(1500), ZERO,
                            ZERO)),
                    RateLimitDecision.DenialReason.LIMIT_REACHED, Instant.EPOCH));
        }

        private static Policy unknown() {
            return new Policy("else\"where", List.of(new PolicyLimit("default", Limit.concurrency(1))), null, MissingKey.SHARED,
                    OnRedisFailure.LOCAL, Mode.ENFORCE, true);
        }

        @GET
        @Path("generic")
        public String generic() {
            return sender.send("text");
        }

        @GET
        @Path("uni")
        public Uni<String> uni() {
            return mailer.sendLater();
        }
    }

    public interface Sender<T> {
        @RateLimited("mail")
        String send(T message);
    }

    @ApplicationScoped
    public static class Mailer implements Sender<String> {
        @Override
        public String send(String message) {
            return "sent";
        }

        @RateLimited("mail")
        public String send() {
            return "sent";
        }

        @RateLimited("mail")
        public Uni<String> sendLater() {
            return Uni.createFrom().item("sent");
        }
    }
}
