package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

class ConfigurationMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Login.class))
            .withConfiguration(Limits.threeAnHour("login", "ip") + """
                    quarkus.rate-limit.policies.keyless.permits=1
                    quarkus.rate-limit.policies.keyless.period=1s
                    quarkus.rate-limit.policies.wrong.permits=many
                    quarkus.rate-limit.policies.wrong.period=1s
                    quarkus.rate-limit.policies.wrong.burts=5
                    quarkus.rate-limit.policies.wrong.key=adress
                    quarkus.rate-limit.policies.windows.algorithm=fixed-window
                    quarkus.rate-limit.policies.windows.permits=1
                    quarkus.rate-limit.policies.windows.calendar=quarter
                    quarkus.rate-limit.policies.windows.zone=Berlin
                    quarkus.rate-limit.policies.windows.refill=greedy
                    quarkus.rate-limit.max-held=-1
                    quarkus.rate-limit.headers=all
                    """)
            .assertException(ConfigurationMistakesTest::assertAllInOneMessage);

    private static void assertAllInOneMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !String.valueOf(cause.getMessage()).startsWith("Rate limits cannot start")) {
            cause = cause.getCause();
        }
        assertThat(cause.getMessage()).startsWith("Rate limits cannot start, 10 mistakes")
                .contains("@RateLimited(\"logn\") on " + Login.class.getName() + "#login() names no policy."
                        + " Configured policies: keyless, login, windows, wrong."
                        + " Add quarkus.rate-limit.policies.logn.* or correct the name.")
                .contains("quarkus.rate-limit.policies.keyless.key")
                .contains("quarkus.rate-limit.policies.wrong.permits")
                .contains("quarkus.rate-limit.policies.wrong.burts")
                .contains("quarkus.rate-limit.policies.wrong.key")
                .contains("quarkus.rate-limit.policies.windows.calendar=quarter is not known.")
                .contains("quarkus.rate-limit.policies.windows.zone=Berlin is no time zone.")
                .contains("quarkus.rate-limit.policies.windows.refill=greedy has no meaning for fixed-window")
                .contains("quarkus.rate-limit.max-held")
                .contains("quarkus.rate-limit.headers");
    }

    @Test
    void startFails() {
        fail("The application must not start");
    }

    @Path("/login")
    public static class Login {
        @GET
        @RateLimited("logn")
        public String login() {
            return "in";
        }

        @GET
        @Path("keyless")
        @RateLimited("keyless")
        public String keyless() {
            return "in";
        }
    }
}
