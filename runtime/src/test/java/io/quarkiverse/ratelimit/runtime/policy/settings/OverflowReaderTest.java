package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class OverflowReaderTest {

    private static final String POLICIES = "quarkus.rate-limit.policies.";

    @Test
    void chainIsKnown() {
        Settings settings = policies("user.overflow= team ", "guest.overflow=team", "team.overflow=all").read();

        assertThat(settings.chain("user")).extracting(Policy::name).containsExactly("user", "team", "all");
        assertThat(settings.chain("all")).extracting(Policy::name).containsExactly("all");
    }

    @Test
    void unknownPolicyIsReported() {
        assertThat(policies("user.overflow=taem").mistakes()).containsExactly(POLICIES
                + "user.overflow=taem names no policy. Configured policies: all, guest, team, user. Add " + POLICIES
                + "taem.* or correct the name.");
    }

    @Test
    void circlesAreReportedOnceWithTheirPath() {
        assertThat(policies("user.overflow=user").mistakes()).containsExactly(
                POLICIES + "user.overflow=user is the policy itself. Name another policy, or remove overflow.");
        assertThat(policies("guest.overflow=user", "user.overflow=team", "team.overflow=all", "all.overflow=user").mistakes())
                .containsExactly(POLICIES
                        + "all.overflow=user leads back to the policy: all > user > team > all. Remove overflow from one of them.");
    }

    @Test
    void policiesThatCannotBePartOfAChainAreReported() {
        assertThat(policies("user.overflow=runs", "runs.algorithm=concurrency", "runs.permits=5").mistakes())
                .containsExactly(POLICIES + "user.overflow=runs does not work with concurrency, which policy runs limits."
                        + " Remove overflow, or choose another algorithm.");
        assertThat(policies("user.overflow=team", "user.prefetch=2", "team.mode=shadow").mistakes()).containsExactly(
                POLICIES + "user.overflow=team does not work with mode=shadow, which policy team has. Remove one of them.",
                POLICIES + "user.overflow=team does not work with prefetch, which this policy has. Remove one of them.");
    }

    @Test
    void onlyTheLastPolicyMayDelayCalls() {
        assertThat(policies("user.overflow=team", "team.overflow=all", "all.max-wait=1s").mistakes()).isEmpty();
        assertThat(policies("user.overflow=team", "team.overflow=all", "team.max-wait=1s").mistakes()).containsExactly(
                POLICIES + "team.overflow=all cannot be combined with max-wait, because a call would wait before the overflow"
                        + " is asked. Remove max-wait, or set it on the last policy of the chain.");
    }

    @Test
    void chainsOfAMethodThatMeetAreReported() {
        Configured policies = policies("user.overflow=all", "team.overflow=all");

        assertThat(policies.andMethod("A#a()", new PolicyUse("user", 1), new PolicyUse("guest", 1)).mistakes()).isEmpty();
        assertThat(policies.andMethod("A#a()", new PolicyUse("user", 1), new PolicyUse("team", 1)).mistakes())
                .containsExactly("@RateLimited(\"user\") and @RateLimited(\"team\") on A#a() lead to the same policy all, which"
                        + " would pay for both. Remove one of them, or give one of them another overflow.");
        assertThat(policies.andMethod("A#a()", new PolicyUse("all", 1), new PolicyUse("team", 1)).mistakes())
                .containsExactly("@RateLimited(\"all\") and @RateLimited(\"team\") on A#a() lead to the same policy all, which"
                        + " would pay for both. Remove one of them, or give one of them another overflow.");
    }

    @Test
    void overflowWithoutKeyNeedsArguments() {
        Configured policies = policies("user.overflow=keyless", "keyless.permits=5", "keyless.period=1m");
        CallParameters argument = new CallParameters(List.of(new CallParameters.Key(0, "", List.of(), null)),
                CallParameters.NO_COST);

        assertThat(policies.andResource("A#a(String)", argument, new PolicyUse("user", 1)).mistakes()).isEmpty();
        assertThat(policies.andMethod("A#a()", new PolicyUse("user", 1)).mistakes()).containsExactly(
                POLICIES + "keyless.key is missing. It identifies the caller, for example ip, or global for one count for"
                        + " everybody. Needed by the overflow of user, to which @RateLimited(\"user\") on A#a() leads without"
                        + " arguments.");
    }

    @Test
    void overflowWithoutKeyIsNoOverflowOfARoute() {
        String[] route = { "quarkus.rate-limit.routes.api.paths=/api/*", "quarkus.rate-limit.routes.api.policy=user" };

        assertThat(policies(route, "user.overflow=keyless", "keyless.permits=5", "keyless.period=1m").mistakes())
                .containsExactly(POLICIES
                        + "keyless.key is missing. It identifies the caller, for example ip, or global for one"
                        + " count for everybody. Needed by the overflow of user, to which quarkus.rate-limit.routes.api leads"
                        + " without arguments.");
    }

    @Test
    void codePassesAnOverflowAllThatItPassesTheFirstPolicy() {
        CallParameters argument = new CallParameters(List.of(new CallParameters.Key(0, "", List.of(), null)),
                CallParameters.NO_COST);
        Configured argued = policies("user.overflow=keyless", "keyless.permits=5", "keyless.period=1m", "open.permits=5",
                "open.period=1m").andResource("A#a(String)", argument, new PolicyUse("user", 1));

        assertThat(argued.passedArguments("user")).isEqualTo(1);
        assertThat(argued.passedArguments("keyless")).isEqualTo(1);
        assertThat(argued.passedArguments("open")).as("any number").isZero();
        assertThat(argued.andVariable("QUARKUS_RATE_LIMIT_POLICIES_OPEN_OVERFLOW", "keyless").passedArguments("keyless"))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(argued.andVariable("QUARKUS_RATE_LIMIT_POLICIES_OPEN_OVERFLOW", "keyless").passedArguments("user"))
                .isEqualTo(1);
        assertThat(argued.andVariable("QUARKUS_RATE_LIMIT_POLICIES_TEAM_OVERFLOW", "keyless").passedArguments("keyless"))
                .as("its key has a part").isEqualTo(1);
    }

    @Test
    void routeKnowsTheKeysOfItsWholeChain() {
        String[] route = { "quarkus.rate-limit.routes.api.paths=/api/*", "quarkus.rate-limit.routes.api.policy=user" };

        assertThat(policies(route, "user.overflow=team", "team.overflow=all").mistakes()).isEmpty();
        assertThat(policies(route, "user.overflow=team", "team.overflow=all", "all.key=principal", "all.exempt-roles=admin")
                .mistakes())
                .containsExactly("quarkus.rate-limit.routes.api.policy=user has the overflow all with key=principal,"
                        + " exempt-roles, which is not known before authentication and before a method is chosen. Give the"
                        + " route a policy with another overflow.");
    }

    private static Configured policies(String... lines) {
        return policies(new String[0], lines);
    }

    private static Configured policies(String[] routes, String... lines) {
        List<String> all = new ArrayList<>(List.of(routes));
        for (String policy : List.of("user", "guest", "team", "all")) {
            all.add(POLICIES + policy + ".permits=5");
            all.add(POLICIES + policy + ".period=1m");
            all.add(POLICIES + policy + ".key=ip");
        }
        for (String line : lines) {
            all.add(POLICIES + line);
        }
        return Configured.with(all.toArray(String[]::new));
    }
}
