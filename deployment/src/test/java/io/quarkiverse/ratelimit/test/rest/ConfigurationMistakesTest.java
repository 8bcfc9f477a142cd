package io.quarkiverse.ratelimit.test.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.rest.fixtures.UnknownNames;
import io.quarkus.test.QuarkusUnitTest;

/**
 * One message reports values of every type that are out of range, names of policies and beans that do not exist or
 * exist several times, and mistakes of every other kind.
 */
class ConfigurationMistakesTest {

    private static final String POLICIES = "api, email, keyless, login, other-type, paced, plan, resolved, right, running,"
            + " twice, windows, wrong";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Login.class, UnknownNames.class))
            .withConfiguration(Limits.threeAnHour("login", "ip") + """
                    quarkus.rate-limit.enabled=perhaps
                    quarkus.rate-limit.timeout=61s
                    quarkus.rate-limit.replicas=0
                    quarkus.rate-limit.max-delayed=-1
                    quarkus.rate-limit.headers=x-ratelimit,none
                    quarkus.rate-limit.policies.wrong.plan=
                    quarkus.rate-limit.policies.keyless.permits=1
                    quarkus.rate-limit.policies.keyless.period=1s
                    quarkus.rate-limit.policies.wrong.permits=0
                    quarkus.rate-limit.policies.wrong.period=1s
                    quarkus.rate-limit.policies.wrong.burts=5
                    quarkus.rate-limit.policies.wrong.key=adress
                    quarkus.rate-limit.policies.wrong.exempt-ips=10.0.0.0/8,nowhere
                    quarkus.rate-limit.policies.wrong.count-when=never
                    quarkus.rate-limit.policies.wrong.denial-cache=2m
                    quarkus.rate-limit.policies.windows.algorithm=fixed-window
                    quarkus.rate-limit.policies.windows.permits=1
                    quarkus.rate-limit.policies.windows.period=1m
                    quarkus.rate-limit.policies.windows.zone=Europe/Berlin
                    quarkus.rate-limit.policies.windows.refill=greedy
                    quarkus.rate-limit.policies.paced.algorithm=leaky-bucket
                    quarkus.rate-limit.policies.paced.permits=1
                    quarkus.rate-limit.policies.paced.period=1m
                    quarkus.rate-limit.policies.paced.refill=interval
                    quarkus.rate-limit.policies.paced.max-wait=367d
                    quarkus.rate-limit.policies.running.algorithm=concurrency
                    quarkus.rate-limit.policies.running.lease-time=2d
                    quarkus.rate-limit.policies.api.permits=5
                    quarkus.rate-limit.policies.api.period=1m
                    quarkus.rate-limit.policies.api.plan=roles
                    quarkus.rate-limit.policies.api.plans.gold.permits=0
                    quarkus.rate-limit.policies.api.plans.free.unlimited=maybe
                    quarkus.rate-limit.policies.email.permits=3
                    quarkus.rate-limit.policies.email.burts=3
                    quarkus.rate-limit.policies.resolved.permits=0
                    quarkus.rate-limit.policies.resolved.period=1s
                    quarkus.rate-limit.policies.resolved.key=ip,bean:tenat
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
                    quarkus.rate-limit.routes.all.paths=/*
                    quarkus.rate-limit.admin.enabled=true
                    """)
            .assertException(ConfigurationMistakesTest::assertAllInOneMessage);

    private static void assertAllInOneMessage(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && !String.valueOf(cause.getMessage()).startsWith("Rate limits cannot start")) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        assertThat(message).startsWith("Rate limits cannot start, 35 mistakes");
        assertThat(message.lines().skip(1)
                .map(line -> line.replace("- quarkus.rate-limit.", "").replace("- @RateLimited", "@RateLimited")))
                .satisfiesExactlyInAnyOrder(
                        is("@RateLimited(\"logn\") on " + Login.class.getName() + "#login() names no policy."
                                + " Configured policies: " + POLICIES + "."
                                + " Add quarkus.rate-limit.policies.logn.* or correct the name."),
                        is("enabled=perhaps must be true or false."),
                        is("timeout=61s must be from 1ms to 60s."),
                        is("replicas=0 must be a whole number from 1 to 1000000."),
                        is("max-delayed=-1 must be a whole number from 0 to 1000000."),
                        is("headers=x-ratelimit,none must be any of ratelimit, x-ratelimit, comma-separated, or none alone."),
                        begins("policies.wrong.plan (", "is empty. Give it a value or remove it."),
                        begins("policies.keyless.key is missing. It identifies the caller", ""),
                        is("policies.wrong.permits=0 must be a whole number from 1 to 1000000000."),
                        begins("policies.wrong.burts (", "did you mean quarkus.rate-limit.policies.wrong.burst?"),
                        begins("policies.wrong.key: \"adress\" is no part of a key. Known parts: ip,", ""),
                        begins("policies.wrong.exempt-ips=10.0.0.0/8,nowhere has \"nowhere\", which is no block", ""),
                        begins("policies.wrong.count-when=never must be statuses from 100 to 599", ""),
                        is("policies.wrong.denial-cache=2m must be from 0 to 60s."),
                        begins("policies.windows.zone=Europe/Berlin has no meaning without calendar.", ""),
                        begins("policies.windows.refill=greedy has no meaning for fixed-window", ""),
                        begins("policies.paced.refill=interval has no meaning for leaky-bucket", ""),
                        is("policies.paced.max-wait=367d must be from 0 to 366d."),
                        begins("policies.running.permits is missing.", ""),
                        is("policies.running.lease-time=2d must be from 1s to 1d."),
                        is("policies.api.plans.gold.permits=0 must be a whole number from 1 to 1000000000."),
                        is("policies.api.plans.free.unlimited=maybe must be true or false."),
                        begins("policies.email.burts (", "did you mean quarkus.rate-limit.policies.email.burst?"),
                        begins("policies.email.period is missing.", ""),
                        names("@RateLimitPolicy(\"emial\")", "Mailer#field"),
                        names("@RateLimitPolicy(\"later\")", "Mailer#later"),
                        names("@RateLimitPolicy(\"by-constructor\")", "Mailer constructor"),
                        names("@RateLimited(\"logn\")", "Mailer#send()"),
                        is("policies.resolved.permits=0 must be a whole number from 1 to 1000000000."),
                        is("policies.resolved.key=ip,bean:tenat names no bean. Add a bean of type RateLimitKeyResolver with"
                                + " @Identifier(\"tenat\"), or correct the name. There are: tenant, twice."),
                        begins("policies.other-type.key=bean:contract names no bean.", ""),
                        begins("policies.twice.key=bean:twice names 2 beans. Keep one of type RateLimitKeyResolver with"
                                + " @Identifier(\"twice\").", ""),
                        is("policies.plan.plan=bean:tenant names no bean. Add a bean of type RateLimitPlanResolver with"
                                + " @Identifier(\"tenant\"), or correct the name. There are: contract."),
                        is("admin.roles-allowed is missing. quarkus.rate-limit.admin.enabled=true would let everybody change"
                                + " limits. Name the roles that may, or serve administration on the management interface:"
                                + " quarkus.management.enabled=true."),
                        begins("routes.all.policy is missing. Set policy to the policy that limits the paths.", ""));
    }

    private static ThrowingConsumer<String> is(String mistake) {
        return line -> assertThat(line).isEqualTo(mistake);
    }

    private static ThrowingConsumer<String> begins(String start, String end) {
        return line -> assertThat(line).startsWith(start).endsWith(end);
    }

    private static ThrowingConsumer<String> names(String annotation, String place) {
        return line -> assertThat(line).contains(annotation, place);
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
