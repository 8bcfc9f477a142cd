package io.quarkiverse.ratelimit.runtime.policy.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;

class GivenPropertiesVariablesTest {

    private static final String VARIABLE = "QUARKUS_RATE_LIMIT_POLICIES_LOGIN_";

    @Test
    void variablesOverrideAFile() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.login.permits=1",
                "quarkus.rate-limit.policies.login.period=1m")
                .andVariable(VARIABLE + "PERMITS", "5")
                .andVariable(VARIABLE + "BURST", "7")
                .andVariable(VARIABLE + "MAX_WAIT", "2s")
                .andVariable(VARIABLE + "MISSING_KEY", "deny")
                .andVariable("QUARKUS_RATE_LIMIT_KEY_PREFIX", "shop")
                .andVariable("QUARKUS_RATE_LIMIT_MAX_DELAYED", "7")
                .andVariable("QUARKUS_RATE_LIMIT_IPV6_PREFIX", "56").read();

        Policy login = settings.policies().get("login");
        assertThat(login.limits().get(0).limit().permits()).isEqualTo(5);
        assertThat(login.limits().get(0).limit().burst()).isEqualTo(7);
        assertThat(login.limits().get(0).limit().maxWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(login.missingKey()).isEqualTo(MissingKey.DENY);
        assertThat(settings.keyPrefix()).isEqualTo("shop");
        assertThat(settings.maxDelayed()).isEqualTo(7);
        assertThat(settings.ipv6Prefix()).isEqualTo(56);
    }

    @Test
    void variablesAloneMakeAPolicy() {
        Settings settings = Configured.with()
                .andVariable(VARIABLE + "LIMITS_SLOW_PERMITS", "5")
                .andVariable(VARIABLE + "LIMITS_SLOW_PERIOD", "1h")
                .andVariable(VARIABLE + "ON_REDIS_FAILURE", "deny").read();

        Policy login = settings.policies().get("login");
        assertThat(login.limits().get(0).name()).isEqualTo("slow");
        assertThat(login.limits().get(0).limit().permits()).isEqualTo(5);
        assertThat(login.onRedisFailure()).isEqualTo(OnRedisFailure.DENY);
    }

    @ParameterizedTest
    @CsvSource({ "log-in, LOG_IN_", "log_in, LOG_IN_", "\"log-in\", _LOG_IN__", "logIn, LOGIN_", "LOGIN, LOGIN_" })
    void namesThatAFileDefinesAreRecognised(String policy, String variable) {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies." + policy + ".permits=1",
                "quarkus.rate-limit.policies." + policy + ".period=1m",
                "quarkus.rate-limit.policies." + policy + ".key=global")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_" + variable + "PERMITS", "5")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_" + variable + "ON_REDIS_FAILURE", "deny").read();

        Policy read = settings.policies().get(policy.replace("\"", ""));
        assertThat(settings.policies()).hasSize(1);
        assertThat(read.limits().get(0).limit().permits()).isEqualTo(5);
        assertThat(read.onRedisFailure()).isEqualTo(OnRedisFailure.DENY);
    }

    @Test
    void limitsThatAFileDefinesAreRecognised() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.policies.login.limits.perHour.permits=1",
                "quarkus.rate-limit.policies.login.limits.perHour.period=1h")
                .andVariable(VARIABLE + "LIMITS_PERHOUR_BURST", "9").read();

        assertThat(settings.policies().get("login").limits()).singleElement()
                .satisfies(limit -> assertThat(limit.name()).isEqualTo("perHour"))
                .satisfies(limit -> assertThat(limit.limit().burst()).isEqualTo(9));
    }

    @Test
    void mistakenValueIsReportedUnderThePropertysName() {
        assertThat(Configured.with().andVariable(VARIABLE + "PERMITS", "0").andVariable(VARIABLE + "PERIOD", "1m")
                .mistakes()).containsExactly(
                        "quarkus.rate-limit.policies.login.permits=0 must be a whole number from 1 to 1000000000.");
    }

    @ParameterizedTest
    @CsvSource({ "log-in, LOG_IN_", "log_in, LOG_IN_", "\"log-in\", _LOG_IN__", "logIn, LOGIN_", "LOGIN, LOGIN_" })
    void mistakenValueIsReportedUnderTheNameThatAFileDefines(String policy, String variable) {
        String name = "quarkus.rate-limit.policies." + policy.replace("\"", "");

        assertThat(Configured.with(
                "quarkus.rate-limit.policies." + policy + ".permits=1",
                "quarkus.rate-limit.policies." + policy + ".period=1m")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_" + variable + "BURST", "0")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_" + variable + "PREFETCH", "-1").mistakes())
                .containsExactly(name + ".burst=0 must be a whole number from 1 to 1000000000.",
                        name + ".prefetch=-1 must be a whole number from 0 to 1000000000.");
    }

    @Test
    void itemsOfAListAreRead() {
        Policy login = working()
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_LOGIN_EXEMPT_ROLES_0_", "staff")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_LOGIN_EXEMPT_ROLES_1_", "admin").read().policies().get("login");

        assertThat(login.exempt().roles()).containsExactlyInAnyOrder("staff", "admin");
    }

    @ParameterizedTest
    @CsvSource({ "login, LOGIN", "log-in, LOG_IN", "logIn, LOGIN" })
    void numberBesideNamedLimitsIsReported(String policy, String variable) {
        String name = "quarkus.rate-limit.policies." + policy;

        assertThat(Configured.with(name + ".limits.slow.permits=1", name + ".limits.slow.period=1h")
                .andVariable("QUARKUS_RATE_LIMIT_POLICIES_" + variable + "_MAX_WAIT", "1s").mistakes()).singleElement()
                .asString().startsWith(name + ".max-wait means nothing beside " + name + ".limits.*");
    }

    @ParameterizedTest
    @CsvSource({ "QUARKUS_RATE_LIMIT_POLICIES_LOGIN_BURTS", "QUARKUS_RATE_LIMIT_POLICIES_LOG_IN_PERMITS",
            "QUARKUS_RATE_LIMIT_POLICIES_LOGIN_LIMITS_PER_HOUR_PERMITS", "QUARKUS_RATE_LIMIT_POLICY_LOGIN_PERMITS",
            "QUARKUS_RATE_LIMIT_ROUTE_API_POLICY" })
    void variableThatChangesNothingIsReported(String variable) {
        assertThat(working().andVariable(variable, "5").mistakes()).containsExactly(variable
                + " (environment variable) is no property of a configured policy or route. Correct it; one whose name has dashes or"
                + " underscores must be defined in a file before a variable can change it.");
    }

    @Test
    void variableWithoutTheQuotesOfTheFileIsReported() {
        assertThat(Configured.with("quarkus.rate-limit.policies.\"login\".permits=1",
                "quarkus.rate-limit.policies.\"login\".period=1m").andVariable(VARIABLE + "PERMITS", "5").mistakes())
                .singleElement().asString().startsWith("quarkus.rate-limit.policies.login.* is written in several ways:"
                        + " quarkus.rate-limit.policies.\"login\", quarkus.rate-limit.policies.login.");
    }

    @ParameterizedTest
    @CsvSource({ "QUARKUS_RATE_LIMIT_SERVICE_HOST", "QUARKUS_RATE_LIMIT_PORT_8080_TCP", "QUARKUS_RATE_LIMIT_REDIS_CLIENT",
            "QUARKUS_RATE_LIMIT_DEVSERVICES_ENABLED", "_PROD_QUARKUS_RATE_LIMIT_POLICIES_LOGIN_BURST",
            "_DEV_QUARKUS_RATE_LIMIT_POLICIES_LOGIN_BURST", "QUARKUS_RATE_LIMIT_ENABLED", "QUARKUS_RATE_LIMIT_VERSION",
            "QUARKUS_RATE_LIMIT_TIMEOUT", "QUARKUS_RATE_LIMIT_STAGE" })
    void variablesOfOthersAreLeftAlone(String variable) {
        assertThat(working().andVariable(variable, variable.endsWith("ENABLED") ? "true" : "5").mistakes()).isEmpty();
    }

    private static Configured working() {
        return Configured.with("quarkus.rate-limit.policies.login.permits=1", "quarkus.rate-limit.policies.login.period=1m");
    }
}
