package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class PlanReaderMistakesTest {

    private static final String API = "quarkus.rate-limit.policies.api.";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            plan=tier          | plan=tier is not known. Known: claim:NAME, roles, bean:NAME.
            plan=claim         | plan=claim is not known. Known: claim:NAME, roles, bean:NAME.
            plan=claim:        | plan=claim: is not known. Known: claim:NAME, roles, bean:NAME.
            plan=bean:nobody   | plan=bean:nobody names no bean. Add a bean of type RateLimitPlanResolver with @Identifier("nobody"), or correct the name. There are: contract.
            plan=bean:tenant   | plan=bean:tenant names no bean. Add a bean of type RateLimitPlanResolver with @Identifier("tenant"), or correct the name. There are: contract.
            """)
    void unknownSourceIsReported(String line, String mistake) {
        assertThat(api(line, "plans.gold.permits=10")).containsExactly(API + mistake);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            permits=0          | permits=0 must be a whole number from 1 to 1000000000.
            period=0           | period=0 must be from 1ms to 366d.
            burst=-1           | burst=-1 must be a whole number from 1 to 1000000000.
            unlimited=maybe    | unlimited=maybe must be true or false.
            limits.day.permits=5 | limits.day.* replaces no limit of the policy, which has one without a name. Leave out "limits" and its name.
            """)
    void valueIsReported(String line, String mistake) {
        assertThat(api("plan=roles", "plans.gold." + line)).containsExactly(API + "plans.gold." + mistake);
    }

    @Test
    void unlimitedPlanHasNoLimits() {
        assertThat(api("plan=roles", "plans.gold.unlimited=true", "plans.gold.permits=5")).containsExactly(API
                + "plans.gold.unlimited=true cannot be combined with limits of the plan. Remove it or the limits.");
    }

    @Test
    void burstHasNoMeaningForWindows() {
        assertThat(api("algorithm=fixed-window", "plan=roles", "plans.gold.burst=5")).containsExactly(API
                + "plans.gold.burst=5 has no meaning for fixed-window, only for token-bucket. Remove it, or choose another"
                + " algorithm.");
    }

    @Test
    void plansAndPlanBelongTogether() {
        assertThat(api("plans.gold.permits=5")).containsExactly(
                API + "plan is missing. Set plan to the source of a caller's plan: claim:NAME, roles or bean:NAME.");
        assertThat(api("plan=roles")).containsExactly(
                API + "plan=roles has no meaning without plans. Add " + API + "plans.<plan>.* or remove it.");
        assertThat(api("plan=roless")).containsExactly(
                API + "plan=roless has no meaning without plans. Add " + API + "plans.<plan>.* or remove it.",
                API + "plan=roless is not known. Known: claim:NAME, roles, bean:NAME.");
    }

    @ParameterizedTest
    @ValueSource(strings = { "plans.gold.unlimitd=true", "plans.gold=unlimited", "plans=gold", "plans.gold.unlimitd=${unset}",
            "plans.\"gold\".unlimitd=true", "plans.gold.limits.day.permitz=5" })
    void planOfWhichNothingIsKnownHasOneMistake(String line) {
        for (String source : List.of("plan=roles", "plan=claim:tier")) {
            assertThat(api(source, line)).singleElement().asString().startsWith(API + "plans");
        }
        assertThat(api("plan=roles", "plan-order=gold", line)).singleElement().asString().startsWith(API + "plans");
        if (!line.startsWith("plans=")) {
            assertThat(api("plan=roles", "plan-order=gold,silver", "plans.silver.permits=5", line)).singleElement().asString()
                    .startsWith(API + "plans");
        }
    }

    @Test
    void limitOfWhichNothingIsKnownHasOneMistake() {
        assertThat(Configured.with(API + "key=principal", API + "limits.day.permitz=5", API + "plan=roles",
                API + "plans.gold.limits.day.permits=10").mistakes()).singleElement().asString()
                .startsWith(API + "limits.day.permitz");
    }

    @Test
    void planThatOnlyAVariableSpellsOtherwiseIsNoPlanOfTheOrder() {
        assertThat(Configured.with(API + "key=principal", API + "permits=5", API + "period=1d", API + "plan=roles",
                API + "plan-order=gold", API + "plans.Gold.permits=10")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_API_PLANS_GOLD_BURST", "20").mistakes())
                .containsExactly(API + "plan-order=gold names no plan \"gold\". Plans: Gold.");
    }

    @Test
    void orderIsOfPlansAndForRolesOnly() {
        assertThat(api("plan=roles", "plan-order=gold,goold", "plans.gold.permits=5")).containsExactly(
                API + "plan-order=gold,goold names no plan \"goold\". Plans: gold.");
        assertThat(api("plan=claim:tier", "plan-order=gold", "plans.gold.permits=5")).containsExactly(
                API + "plan-order=gold has a meaning only for plan=roles. Remove it.");
    }

    @Test
    void planOfNamedLimitsNamesThem() {
        assertThat(Configured.with("""
                quarkus.rate-limit.policies.api.key=principal
                quarkus.rate-limit.policies.api.limits.day.permits=100
                quarkus.rate-limit.policies.api.limits.day.period=1d
                quarkus.rate-limit.policies.api.plan=roles
                quarkus.rate-limit.policies.api.plans.gold.permits=10
                quarkus.rate-limit.policies.api.plans.gold.limits.hour.permits=10
                """.split("\n")).mistakes()).containsExactly(
                API + "plans.gold.* replaces no limit of the policy, which has limits.day. Set permits, period and burst of one"
                        + " of these.",
                API + "plans.gold.limits.hour.* replaces no limit of the policy, which has limits.day. Set permits, period and"
                        + " burst of one of these.");
    }

    @Test
    void mistakeOfThePolicyIsReportedOnce() {
        assertThat(api("burst=0", "plan=roles", "plans.gold.permits=10"))
                .containsExactly(API + "burst=0 must be a whole number from 1 to 1000000000.");
    }

    @Test
    void valuesOfAPlanAreReportedBesideOtherMistakes() {
        assertThat(api("burst=0", "plan=roles", "plans.gold.permits=-1")).containsExactlyInAnyOrder(
                API + "burst=0 must be a whole number from 1 to 1000000000.",
                API + "plans.gold.permits=-1 must be a whole number from 1 to 1000000000.");
        assertThat(api("plan=roles", "plans.gold.unlimited=true", "plans.gold.period=0")).containsExactlyInAnyOrder(
                API + "plans.gold.unlimited=true cannot be combined with limits of the plan. Remove it or the limits.",
                API + "plans.gold.period=0 must be from 1ms to 366d.");
        assertThat(api("plan=roles", "plans.gold.limits.day.burst=-1")).containsExactlyInAnyOrder(
                API + "plans.gold.limits.day.* replaces no limit of the policy, which has one without a name. Leave out"
                        + " \"limits\" and its name.",
                API + "plans.gold.limits.day.burst=-1 must be a whole number from 1 to 1000000000.");
    }

    @Test
    void nameOfAPlanIsReported() {
        assertThat(api("plan=roles", "plans.gold!.permits=10")).containsExactly(API
                + "plans.gold!.* is no name of a plan. Use 1 to 64 letters, digits, underscores and dashes.");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            plan-cache=-1s     | plan-cache=-1s must be from 0 to 1d.
            plan-cache=25h     | plan-cache=25h must be from 0 to 1d.
            """)
    void timeOfTheCacheIsReported(String line, String mistake) {
        assertThat(api("plan=bean:contract", line)).containsExactly(API + mistake);
    }

    @Test
    void onlyPlansOfBeansAreCached() {
        String mistake = API + "plan-cache=10s has a meaning only for plan=bean:NAME. Remove it.";

        assertThat(api("plan-cache=10s")).containsExactly(mistake);
        assertThat(api("plan=roles", "plans.gold.permits=10", "plan-cache=10s")).containsExactly(mistake);
    }

    @Test
    void misspeltPropertyIsReported() {
        assertThat(api("plan=roles", "plans.gold.permits=10", "plans.gold.burts=5")).containsExactly(API
                + "plans.gold.burts (application.properties) is no property of the rate limiter; did you mean " + API
                + "plans.gold.burst?");
    }

    private static List<String> api(String... lines) {
        return Configured.with(Stream.concat(Stream.of("permits=5", "period=1m", "key=principal"), Stream.of(lines))
                .map(line -> API + line).toArray(String[]::new)).mistakes();
    }
}
