package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class ReferenceMistakesTest {

    private static final Configured TWO_POLICIES = Configured.with(
            "quarkus.rate-limit.policies.search.permits=5",
            "quarkus.rate-limit.policies.search.period=1m",
            "quarkus.rate-limit.policies.login.permits=5",
            "quarkus.rate-limit.policies.login.period=1m",
            "quarkus.rate-limit.policies.login.key=global");

    @Test
    void unknownPolicyIsReportedWithTheConfiguredOnes() {
        assertThat(TWO_POLICIES.andMethod("com.acme.AuthResource#login()", new PolicyUse("logn", 1)).mistakes())
                .containsExactly("@RateLimited(\"logn\") on com.acme.AuthResource#login() names no policy. Configured policies:"
                        + " login, search. Add quarkus.rate-limit.policies.logn.* or correct the name.");
    }

    @Test
    void defaultPolicyMustExistOnlyWhereItIsUsed() {
        assertThat(Configured.with().mistakes()).isEmpty();
        assertThat(Configured.with().andMethod("com.acme.A#a()", new PolicyUse("default", 1)).mistakes())
                .containsExactly("@RateLimited(\"default\") on com.acme.A#a() names no policy. Configured policies: none. Add"
                        + " quarkus.rate-limit.policies.default.* or correct the name.");
    }

    @Test
    void keyIsRequiredWhereAnAnnotationUsesThePolicy() {
        assertThat(TWO_POLICIES.mistakes()).isEmpty();
        assertThat(TWO_POLICIES.andMethod("com.acme.B#b()", new PolicyUse("login", 1), new PolicyUse("search", 1))
                .andMethod("com.acme.A#a()", new PolicyUse("search", 2)).mistakes())
                .containsExactly("quarkus.rate-limit.policies.search.key is missing. It identifies the caller, for example ip,"
                        + " principal or header:X-Api-Key, or global for one count for everybody. Needed by @RateLimited(\"search\")"
                        + " on com.acme.A#a(), @RateLimited(\"search\") on com.acme.B#b().");
    }

    @Test
    void costThatNoCallCanHoldIsReportedWithAllOtherMistakes() {
        Configured concurrent = Configured.with("quarkus.rate-limit.policies.runs.algorithm=concurrency",
                "quarkus.rate-limit.policies.runs.permits=20000", "quarkus.rate-limit.policies.runs.key=global",
                "quarkus.rate-limit.policies.both.limits.runs.algorithm=concurrency",
                "quarkus.rate-limit.policies.both.limits.runs.permits=20000",
                "quarkus.rate-limit.policies.both.limits.rate.permits=20000",
                "quarkus.rate-limit.policies.both.limits.rate.period=1m", "quarkus.rate-limit.policies.both.key=global");

        assertThat(concurrent.andMethod("com.acme.A#a()", new PolicyUse("runs", 10_000), new PolicyUse("both", 10_000))
                .mistakes()).isEmpty();
        assertThat(concurrent.andMethod("com.acme.A#a()", new PolicyUse("runs", 10_001), new PolicyUse("both", 10_001),
                new PolicyUse("rnus", 10_001)).mistakes()).hasSize(3).contains(
                        "@RateLimited(\"runs\") on com.acme.A#a() has cost=10001, but its policy limits concurrency. Give it a"
                                + " cost from 1 to 10000, or set counts=calls on the concurrency limit.",
                        "@RateLimited(\"both\") on com.acme.A#a() has cost=10001, but its policy limits concurrency. Give it a"
                                + " cost from 1 to 10000, or set counts=calls on the concurrency limit.");
        assertThat(TWO_POLICIES.andMethod("com.acme.A#a()", new PolicyUse("login", 10_001)).mistakes()).isEmpty();
    }

    @Test
    void mistakenPolicyIsNotUnknownToo() {
        assertThat(Configured.with("quarkus.rate-limit.policies.login.permits=0", "quarkus.rate-limit.policies.login.period=1m",
                "quarkus.rate-limit.policies.login.key=").andMethod("com.acme.A#a()", new PolicyUse("login", 1)).mistakes())
                .hasSize(2).noneMatch(mistake -> mistake.startsWith("@RateLimited"));
    }

    @Test
    void anotherCostThanThatOfARouteWithTheSamePolicyIsReported() {
        Configured routed = Configured.with("quarkus.rate-limit.policies.login.permits=5",
                "quarkus.rate-limit.policies.login.period=1m", "quarkus.rate-limit.policies.login.key=global",
                "quarkus.rate-limit.routes.all.paths=/*", "quarkus.rate-limit.routes.all.policy=login");
        String reason = ", but quarkus.rate-limit.routes.all.policy=login charges each request 1. A request that meets both is"
                + " counted once, so both must charge the same. Remove the cost, or give the route or the method a policy of its own.";
        PolicyUse one = new PolicyUse("login", 1), three = new PolicyUse("login", 3);
        CallParameters costArgument = new CallParameters(List.of(), 0),
                keyArgument = new CallParameters(List.of(new CallParameters.Key(0, "", List.of(), null)), 1);

        assertThat(routed.andResource("com.acme.A#a()", CallParameters.NONE, three)
                .andResource("com.acme.B#b(int)", costArgument, one).mistakes()).containsExactly(
                        "@RateLimited(\"login\") on com.acme.A#a() has cost=3" + reason,
                        "@RateLimited(\"login\") on com.acme.B#b(int) has a cost by @RateLimitCost" + reason);
        // the same cost, another key, and a method that serves no request
        assertThat(routed.andResource("com.acme.A#a()", CallParameters.NONE, one)
                .andResource("com.acme.B#b(String,int)", keyArgument, three).andMethod("com.acme.C#c()", three).mistakes())
                .isEmpty();
    }

    @Test
    void argumentThatBelongsToDifferentKeysIsReported() {
        Configured policies = Configured.with("quarkus.rate-limit.policies.user.permits=5",
                "quarkus.rate-limit.policies.user.period=1m", "quarkus.rate-limit.policies.other-user.permits=5",
                "quarkus.rate-limit.policies.other-user.period=1h", "quarkus.rate-limit.policies.all.permits=5",
                "quarkus.rate-limit.policies.all.period=1m", "quarkus.rate-limit.policies.all.key=global",
                "quarkus.rate-limit.policies.address.permits=5", "quarkus.rate-limit.policies.address.period=1m",
                "quarkus.rate-limit.policies.address.key=ip", "quarkus.rate-limit.policies.address.enabled=false",
                "quarkus.rate-limit.policies.ab.permits=5", "quarkus.rate-limit.policies.ab.period=1m",
                "quarkus.rate-limit.policies.ab.key=ip,header:X-A", "quarkus.rate-limit.policies.same.permits=5",
                "quarkus.rate-limit.policies.same.period=1m", "quarkus.rate-limit.policies.same.key=ip , header:x-a",
                "quarkus.rate-limit.policies.ba.permits=5", "quarkus.rate-limit.policies.ba.period=1m",
                "quarkus.rate-limit.policies.ba.key=header:X-A,ip");

        assertThat(policies.andResource("A#a(String)", ARGUMENT, use("user"), use("address")).mistakes()).containsExactly(
                "@RateLimitKey on A#a(String) would belong to the key of each of its policies, but these keys differ:"
                        + " user (key: none), address (key: ip). Name the policies whose key the argument belongs to,"
                        + " as in @RateLimitKey(policies = \"user\").");
        assertThat(policies.andResource("A#a(String)", ARGUMENT, use("user"), use("all")).mistakes()).hasSize(1);
        assertThat(policies.andResource("A#a(String)", ARGUMENT, use("ab"), use("ba")).mistakes()).hasSize(1);
        assertThat(policies.andResource("A#a(String,int)", with(List.of(), List.of("user")), use("user"), use("address"))
                .mistakes()).hasSize(1);
        assertThat(policies.andResource("A#a(String)", ARGUMENT, use("user"), use("other-user"))
                .andResource("B#b(String)", ARGUMENT, use("ab"), use("same"))
                .andResource("C#c(String)", with(List.of("user")), use("user"), use("address"))
                .andResource("D#d(String)", CallParameters.NONE, use("all"), use("address")).mistakes()).isEmpty();
    }

    @Test
    void policyToWhoseKeyNoArgumentBelongsNeedsAKeyAndTheCostOfItsRoute() {
        Configured routed = Configured.with("quarkus.rate-limit.policies.user.permits=5",
                "quarkus.rate-limit.policies.user.period=1m", "quarkus.rate-limit.policies.address.permits=5",
                "quarkus.rate-limit.policies.address.period=1m", "quarkus.rate-limit.policies.address.key=ip",
                "quarkus.rate-limit.routes.all.paths=/*", "quarkus.rate-limit.routes.all.policy=address");

        assertThat(routed.andResource("A#a(String)", with(List.of("address")), use("user"), use("address")).mistakes())
                .singleElement().asString().startsWith("quarkus.rate-limit.policies.user.key is missing.");
        assertThat(routed.andResource("A#a(String)", with(List.of("user")), use("user"), new PolicyUse("address", 2))
                .mistakes()).singleElement().asString().contains("@RateLimited(\"address\") on A#a(String) has cost=2");
    }

    private static final CallParameters ARGUMENT = with(List.of());

    private static PolicyUse use(String policy) {
        return new PolicyUse(policy, 1);
    }

    /** Arguments that belong to the keys of these policies. */
    @SafeVarargs
    private static CallParameters with(List<String>... policies) {
        return new CallParameters(Stream.of(policies).map(each -> new CallParameters.Key(0, "", each, null)).toList(),
                CallParameters.NO_COST);
    }

    @Test
    void propertiesOfOtherExtensionsEndWithAPolicy() {
        Configured priced = Configured.with(
                "quarkus.rate-limit.policies.logIn.permits=5",
                "quarkus.rate-limit.policies.logIn.period=1m",
                "quarkus.rate-limit.policies.logIn.key=global",
                "quarkus.rate-limit.other.price.logIn=0.5").andOfPolicies("quarkus.rate-limit.other.price");

        assertThat(priced.mistakes()).isEmpty();
        assertThat(priced.andVariable("QUARKUS_RATE_LIMIT_OTHER_PRICE_LOGIN", "0.7").mistakes()).isEmpty();
        assertThat(Configured.with("quarkus.rate-limit.other.price.logn=1", "quarkus.rate-limit.other.prize.logn=1",
                "quarkus.rate-limit.timeout=61s").andOfPolicies("quarkus.rate-limit.other.price").mistakes()).containsExactly(
                        "quarkus.rate-limit.other.price.logn names no policy. Configured policies: none. Add"
                                + " quarkus.rate-limit.policies.logn.* or correct the name.",
                        "quarkus.rate-limit.other.prize.logn (application.properties) is no property of the rate limiter; did you"
                                + " mean quarkus.rate-limit.other.price.logn?",
                        "quarkus.rate-limit.timeout=61s must be from 1ms to 60s.");
    }
}
