package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.api.Condition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;

class UnknownPropertiesTest {

    @ParameterizedTest
    @CsvSource({
            "policies.login.burts, policies.login.burst",
            "policies.login.missingKey, policies.login.missing-key",
            "policies.login.limits.slow.premits, policies.login.limits.slow.permits",
            "policies.log-in.algoritm, policies.log-in.algorithm",
            "policy.login.permits, ",
            "polices.login.permits, policies.login.permits",
            "key_prefix, key-prefix",
            "redis-clients, redis-client",
            "policies.log-in.maxWait, policies.log-in.max-wait",
            "policies.login.limits.slow.lease_time, policies.login.limits.slow.lease-time",
            "policies.log-in.calender, policies.log-in.calendar",
            "policies.log-in.timezone, ",
            "max-delay, max-delayed",
            "policies.login.grace-time, ",
            "gates.api.paths, " })
    void misspeltNameIsReportedWithTheNearestKnown(String unknown, String meant) {
        assertThat(working("quarkus.rate-limit." + unknown + "=5").mistakes()).singleElement().asString()
                .startsWith("quarkus.rate-limit." + unknown + " (application.properties) is no property of the rate limiter")
                .endsWith(meant == null ? "." : "; did you mean quarkus.rate-limit." + meant + "?");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
            "policies.login.grace-time  ; quarkus.rate-limit.policies.login     ; algorithm, burst, calendar, ; permits, ",
            "policies.log-in.timezone.x ; quarkus.rate-limit.policies.log-in    ; algorithm, burst, calendar, ; plans.*",
            "policies.login.penalty.how ; quarkus.rate-limit.policies.login.penalty ; after, block, max-block, within. ; after",
            "policies.login.limits.slow.name ; quarkus.rate-limit.policies.login.limits.slow ; algorithm, burst, ; zone.",
            "policies.login             ; quarkus.rate-limit.policies.login     ; algorithm, burst, calendar, ; limits.*",
            "routes.api.pattern         ; quarkus.rate-limit.routes.api         ; except, methods, paths, policy. ; paths",
            "gates.api.paths            ; quarkus.rate-limit                    ; address-header, admin.*,    ; routes.*",
            "policies                   ; quarkus.rate-limit.policies           ; <name>.*.                   ; <name>" })
    void nameThatIsLikeNoneIsReportedWithThoseNextToIt(String unknown, String level, String first, String another) {
        assertThat(working("quarkus.rate-limit." + unknown + "=5").mistakes()).singleElement().asString()
                .startsWith("quarkus.rate-limit." + unknown + " (application.properties) is no property of the rate limiter. "
                        + level + " has " + first)
                .contains(another).doesNotContain("[").endsWith(". Correct the name, or remove it.");
    }

    @Test
    void unknownPropertiesAreOneWarningWhereTheyAreAllowed() {
        Configured configured = working("quarkus.rate-limit.unknown-properties=warn",
                "quarkus.rate-limit.policies.login.burts=5",
                "quarkus.rate-limit.gates.api.paths=/x", "quarkus.rate-limit.policies.log-in.grace-time=",
                "quarkus.rate-limit.policies.log-in.opening=${acme.not.there}")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_LOGIN_GRACE_TIME", "5");

        try (CapturedLog log = new CapturedLog()) {
            assertThat(configured.read().policies()).containsOnlyKeys("login", "log-in");
            assertThat(log.messages("")).singleElement().asString().startsWith("Ignored because of")
                    .contains("\n- QUARKUS_RATE_LIMIT_POLICIES_LOGIN_GRACE_TIME (environment variable) is no property",
                            "\n- quarkus.rate-limit.policies.login.burts (application.properties) is no property",
                            "did you mean quarkus.rate-limit.policies.login.burst?", "\n- quarkus.rate-limit.gates.api.paths (",
                            "\n- quarkus.rate-limit.policies.log-in.grace-time (",
                            "\n- quarkus.rate-limit.policies.log-in.opening (");
        }
        assertThat(working("quarkus.rate-limit.unknown-properties=fail", "quarkus.rate-limit.gates.api.paths=/x").mistakes())
                .hasSize(1);
    }

    @Test
    void otherMistakesStopTheStartAllTheSame() {
        assertThat(working("quarkus.rate-limit.unknown-properties=warn", "quarkus.rate-limit.policies.login.burts=5",
                "quarkus.rate-limit.policies.log-in.permits=0", "quarkus.rate-limit.policies.new.opening=5").mistakes())
                .singleElement().asString().contains("log-in.permits=0 must be");
    }

    @ParameterizedTest
    @CsvSource({ "quarkus.rate-limit", "quarkus.rate-limit.policies", "quarkus.rate-limit.policies.login",
            "quarkus.rate-limit.policies.login.limits", "quarkus.rate-limit.policies.login.permits.max",
            "quarkus.rate-limit.policies.login.permits[0].x" })
    void valueInTheWrongPlaceIsReported(String name) {
        assertThat(working(name + "=5").mistakes()).singleElement().asString().startsWith(name + " (");
    }

    @ParameterizedTest
    @ValueSource(strings = { "quarkus.rate-limit.*", "quarkus.rate-limit.policies.login.*", "quarkus.rate-limit.policies.*" })
    void asteriskIsNoProperty(String name) {
        assertThat(working(name + "=5").mistakes())
                .anyMatch(
                        mistake -> mistake.startsWith(name + " (") && mistake.contains(" is no property of the rate limiter"));
    }

    @Test
    void quotedNamesAreUnderstood() {
        assertThat(Configured.with(
                "quarkus.rate-limit.policies.\"my-policy\".limits.\"slow\".permits=5",
                "quarkus.rate-limit.policies.\"my-policy\".limits.\"slow\".period=1h",
                "quarkus.rate-limit.policies.\"my-policy\".limits.\"slow\".burts=1h").mistakes()).singleElement().asString()
                .endsWith("did you mean quarkus.rate-limit.policies.my-policy.limits.slow.burst?");
    }

    @Test
    void nameWithAndWithoutQuotesIsReported() {
        assertThat(working("quarkus.rate-limit.policies.\"log-in\".burst=7", "quarkus.rate-limit.timout=1s").mistakes())
                .satisfiesExactly(mistake -> assertThat(mistake).startsWith("quarkus.rate-limit.policies.log-in.* is written in"
                        + " several ways: quarkus.rate-limit.policies.\"log-in\", quarkus.rate-limit.policies.log-in. Write it"),
                        mistake -> assertThat(mistake).contains("did you mean quarkus.rate-limit.timeout?"));
    }

    @Test
    void emptyNameOfAPlanIsReported() {
        assertThat(working("quarkus.rate-limit.policies.login.plan=claim:plan",
                "quarkus.rate-limit.policies.login.plans..permits=5").mistakes()).containsExactly(
                        "quarkus.rate-limit.policies.login.plans.\"\".* has an empty name. Give it a name or remove it.");
        assertThat(working("quarkus.rate-limit.policies.login.plans..permits=5").mistakes())
                .satisfiesExactly(mistake -> assertThat(mistake).contains("login.plan is missing"),
                        mistake -> assertThat(mistake).contains("has an empty name"));
        assertThat(working("quarkus.rate-limit.policies.login.limits..permits=5",
                "quarkus.rate-limit.policies..limits..permits=5").mistakes())
                .allMatch(mistake -> mistake.contains("has an empty name")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "policies..permits", "policies..limits.slow.permits", "policies.\"other\".permits",
            "routes..paths",
            "policies.login.limits..permits", "policies.login.limits.\"slow\".burst", "policies.login.plans..permits",
            "policies.login.plans.gold.limits..permits" })
    void allOtherMistakesAreReportedBesideAMistakenName(String mistaken) {
        assertThat(working("quarkus.rate-limit." + mistaken + "=5", "quarkus.rate-limit.policies.log-in.burst=0",
                "quarkus.rate-limit.policies.login.limits.fast.permits=-1",
                "quarkus.rate-limit.policies.login.burst=2",
                "quarkus.rate-limit.policies.other.period=1h", "quarkus.rate-limit.policies.other.permits=5",
                "quarkus.rate-limit.routes.api.paths=/a?b", "quarkus.rate-limit.routes.api.policy=other",
                "quarkus.rate-limit.timeout=61s").andMethod("Books#list", new PolicyUse("books", 1)).mistakes())
                .haveExactly(1, new Condition<>(mistake -> mistake.contains(".* has an empty name")
                        || mistake.contains(".* is written in several ways"), "about the name"))
                .anyMatch(mistake -> mistake.contains("log-in.burst=0 must be a whole number"))
                .anyMatch(mistake -> mistake.contains("limits.fast.permits=-1 must be"))
                .anyMatch(mistake -> mistake.contains("login.burst means nothing beside"))
                .anyMatch(mistake -> mistake.contains("/a?b"))
                .anyMatch(mistake -> mistake.contains("timeout=61s must be"))
                .anyMatch(mistake -> mistake.contains("Books#list names no policy"))
                .noneMatch(mistake -> mistake.contains("null"));
    }

    @ParameterizedTest
    @CsvSource({ "policies..permits, policies.\"\"", "policies.\"\".permits, policies.\"\"", "routes..paths, routes.\"\"",
            "policies.login.limits..permits, policies.login.limits.\"\"" })
    void emptyNameIsReported(String property, String place) {
        assertThat(working("quarkus.rate-limit." + property + "=5").mistakes()).containsExactly(
                "quarkus.rate-limit." + place + ".* has an empty name. Give it a name or remove it.");
    }

    @Test
    void onlyTheActiveProfileCounts() {
        assertThat(working("%prod.quarkus.rate-limit.policies.login.burts=5").mistakes()).isEmpty();
        assertThat(working("%dev.quarkus.rate-limit.policies.login.burts=5").mistakes()).singleElement().asString()
                .contains("did you mean quarkus.rate-limit.policies.login.burst?");
    }

    private static Configured working(String... more) {
        String[] lines = new String[more.length + 4];
        lines[0] = "quarkus.rate-limit.policies.login.limits.slow.permits=5";
        lines[1] = "quarkus.rate-limit.policies.login.limits.slow.period=1h";
        lines[2] = "quarkus.rate-limit.policies.log-in.permits=5";
        lines[3] = "quarkus.rate-limit.policies.log-in.period=1h";
        System.arraycopy(more, 0, lines, 4, more.length);
        return Configured.with(lines);
    }
}
