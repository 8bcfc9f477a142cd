package io.quarkiverse.ratelimit.test.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Names of beans that are not there, or there several times, stop the start with all other mistakes. */
class ResolverMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Beans.class))
            .withConfiguration("""
                    quarkus.rate-limit.policies.wrong.permits=many
                    quarkus.rate-limit.policies.wrong.period=1s
                    quarkus.rate-limit.policies.wrong.key=ip,bean:tenat
                    quarkus.rate-limit.policies.other-type.permits=1
                    quarkus.rate-limit.policies.other-type.period=1s
                    quarkus.rate-limit.policies.other-type.key=bean:contract
                    quarkus.rate-limit.policies.twice.permits=1
                    quarkus.rate-limit.policies.twice.period=1s
                    quarkus.rate-limit.policies.twice.key=bean:twice
                    quarkus.rate-limit.policies.right.permits=1
                    quarkus.rate-limit.policies.right.period=1s
                    quarkus.rate-limit.policies.right.key=bean:tenant
                    quarkus.rate-limit.policies.plan.permits=1
                    quarkus.rate-limit.policies.plan.period=1s
                    quarkus.rate-limit.policies.plan.key=ip
                    quarkus.rate-limit.policies.plan.plan=bean:tenant
                    quarkus.rate-limit.policies.plan.plans.gold.permits=2
                    """)
            .assertException(ResolverMistakesTest::assertAllInOneMessage);

    private static void assertAllInOneMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !String.valueOf(cause.getMessage()).startsWith("Rate limits cannot start")) {
            cause = cause.getCause();
        }
        assertThat(cause.getMessage()).startsWith("Rate limits cannot start, 5 mistakes")
                .contains("quarkus.rate-limit.policies.wrong.key=ip,bean:tenat names no bean. Add a bean of type"
                        + " RateLimitKeyResolver with @Identifier(\"tenat\"), or correct the name. There are: tenant, twice.")
                .contains("quarkus.rate-limit.policies.wrong.permits")
                .contains("quarkus.rate-limit.policies.other-type.key=bean:contract names no bean.")
                .contains("quarkus.rate-limit.policies.twice.key=bean:twice names 2 beans. Keep one of type"
                        + " RateLimitKeyResolver with @Identifier(\"twice\").")
                .contains("quarkus.rate-limit.policies.plan.plan=bean:tenant names no bean. Add a bean of type"
                        + " RateLimitPlanResolver with @Identifier(\"tenant\"), or correct the name. There are: contract.")
                .doesNotContain("policies.right");
    }

    @Test
    void startFails() {
        fail("The application must not start");
    }

    public static class Beans {

        @Produces
        @Singleton
        @Identifier("tenant")
        RateLimitKeyResolver tenant() {
            return call -> Uni.createFrom().item("tenant");
        }

        @Produces
        @Singleton
        @Identifier("twice")
        RateLimitKeyResolver one() {
            return call -> Uni.createFrom().item("one");
        }

        @Produces
        @Singleton
        @Identifier("twice")
        RateLimitKeyResolver two() {
            return call -> Uni.createFrom().item("two");
        }

        @Produces
        @Singleton
        @Identifier("contract")
        RateLimitPlanResolver contract() {
            return call -> Uni.createFrom().item(RateLimitPlan.named("gold"));
        }

        @Produces
        @Singleton
        @Alternative
        @Identifier("unselected")
        RateLimitKeyResolver unselected() {
            return call -> Uni.createFrom().item("unselected");
        }
    }
}
