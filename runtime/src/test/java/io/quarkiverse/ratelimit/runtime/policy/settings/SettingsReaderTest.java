package io.quarkiverse.ratelimit.runtime.policy.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.fixtures.Configured;
import io.quarkus.runtime.configuration.ConfigurationException;

class SettingsReaderTest {

    @Test
    void nothingConfiguredIsAllDefaults() {
        Settings settings = Configured.with().read();

        assertThat(settings.enabled()).isTrue();
        assertThat(settings.keyPrefix()).isEqualTo("rate-limit");
        assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(settings.onRedisFailure()).isEqualTo(OnRedisFailure.LOCAL);
        assertThat(settings.replicas()).isEqualTo(1);
        assertThat(settings.maxDelayed()).isEqualTo(10_000);
        assertThat(settings.headers()).containsExactlyInAnyOrder(HeaderFamily.RATELIMIT, HeaderFamily.X_RATELIMIT);
        assertThat(settings.ipv6Prefix()).isEqualTo(64);
        assertThat(settings.proxyHops()).isZero();
        assertThat(settings.reservationSecrets()).isEmpty();
        assertThat(settings.policies()).isEmpty();
    }

    @Test
    void everyGlobalPropertyIsRead() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.enabled=false",
                "quarkus.rate-limit.store=memory",
                "quarkus.rate-limit.key-prefix=shop:limits",
                "quarkus.rate-limit.timeout=PT0.1S",
                "quarkus.rate-limit.on-redis-failure=allow",
                "quarkus.rate-limit.replicas=3",
                "quarkus.rate-limit.max-delayed=0",
                "quarkus.rate-limit.headers=x-ratelimit",
                "quarkus.rate-limit.ipv6-prefix=48",
                "quarkus.rate-limit.proxy-hops=2",
                "quarkus.rate-limit.reservation-secret=a new secret 1234,the old secret 12").read();

        assertThat(settings)
                .isEqualTo(new Settings(false, Store.MEMORY, "shop:limits", Duration.ofMillis(100), OnRedisFailure.ALLOW, 3, 0,
                        Set.of(HeaderFamily.X_RATELIMIT), 48, 2, null,
                        List.of(secret("a new secret 1234"), secret("the old secret 12")),
                        new TreeMap<>(), List.of(), new TreeMap<>()));
        assertThat(settings.toString()).doesNotContain("a new secret", "the old secret");
    }

    private static SecretKeySpec secret(String text) {
        return new SecretKeySpec(text.getBytes(UTF_8), "HmacSHA256");
    }

    @Test
    void valuesThatTheDevUiOffersAreRead() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.store=MEMORY",
                "quarkus.rate-limit.on-redis-failure=DENY",
                "quarkus.rate-limit.headers=X_RATELIMIT").read();

        assertThat(settings.store()).isEqualTo(Store.MEMORY);
        assertThat(settings.onRedisFailure()).isEqualTo(OnRedisFailure.DENY);
        assertThat(settings.headers()).containsExactly(HeaderFamily.X_RATELIMIT);
    }

    @Test
    void headerWithTheAddressOfTheCallerIsRead() {
        assertThat(Configured.with("quarkus.rate-limit.address-header= X-Real-IP ",
                "quarkus.http.proxy.trusted-proxies=10.0.0.0/8,[2001:db8::1]").read().addressHeader()).isEqualTo("X-Real-IP");
        assertThat(Configured.with("quarkus.rate-limit.address-header=X-Real-IP",
                "quarkus.http.proxy.proxy-address-forwarding=true",
                "quarkus.http.proxy.trusted-proxies=proxy.internal").read().addressHeader()).isEqualTo("X-Real-IP");
        assertThat(Configured.with().read().addressHeader()).isNull();
    }

    @Test
    void noneSwitchesHeadersOff() {
        assertThat(Configured.with("quarkus.rate-limit.headers=none").read().headers()).isEmpty();
    }

    @Test
    void listsOfYamlAreRead() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.headers=x-ratelimit,ratelimit",
                "quarkus.rate-limit.headers[0]=x-ratelimit",
                "quarkus.rate-limit.headers[1]=ratelimit").read();

        assertThat(settings.headers()).hasSize(2);
    }

    @Test
    void itemsOfListsAreRead() {
        Settings settings = Configured.with(
                "quarkus.rate-limit.headers[0]=x-ratelimit",
                "quarkus.rate-limit.policies.login.permits=1",
                "quarkus.rate-limit.policies.login.period=1m",
                "quarkus.rate-limit.policies.login.exempt-roles[0]=staff",
                "quarkus.rate-limit.policies.login.exempt-roles[1]=admin").read();

        assertThat(settings.headers()).containsExactly(HeaderFamily.X_RATELIMIT);
        assertThat(settings.policies().get("login").exempt().roles()).containsExactlyInAnyOrder("staff", "admin");
    }

    @Test
    void mistakenItemOfAListIsReported() {
        assertThat(Configured.with(
                "quarkus.rate-limit.headers[0]=ratelimit",
                "quarkus.rate-limit.headers[1]=none",
                "quarkus.rate-limit.policies.login.permits=1",
                "quarkus.rate-limit.policies.login.period=1m",
                "quarkus.rate-limit.policies.login.exempt-ips[0]=10.0.0.0/8",
                "quarkus.rate-limit.policies.login.exempt-ips[1]=nowhere").mistakes()).containsExactly(
                        "quarkus.rate-limit.headers=ratelimit,none must be any of ratelimit, x-ratelimit,"
                                + " comma-separated, or none alone.",
                        "quarkus.rate-limit.policies.login.exempt-ips=10.0.0.0/8,nowhere has \"nowhere\", which is no block of"
                                + " addresses. Write it like 10.0.0.0/8, 2001:db8::/32 or 192.0.2.1.");
    }

    @Test
    void expressionThatRefersToNothingIsReported() {
        assertThat(Configured.with(
                "quarkus.rate-limit.policies.login.permits=${acme.permits}",
                "quarkus.rate-limit.policies.login.period=${acme.period:1m}").mistakes()).containsExactly(
                        "quarkus.rate-limit.policies.login.permits=${acme.permits} refers to a property that is not set. Set it,"
                                + " or give it a default like ${name:default}.");
    }

    @Test
    void buildTimeAndForeignPropertiesAreLeftAlone() {
        assertThat(Configured.with(
                "quarkus.rate-limit.redis-client=limits",
                "quarkus.rate-limit.devservices.enabled=false",
                "quarkus.rate-limit.health.enabled=false",
                "quarkus.rate-limit.metrics.enabled=false",
                "quarkus.rate-limit.tracing.enabled=false",
                "quarkus.rate-limiter.burts=5",
                "quarkus.redis.hosts=redis://localhost",
                "acme.password=secret").mistakes()).isEmpty();
    }

    @Test
    void allMistakesAreReportedTogetherAndSorted() {
        Configured configured = Configured.with(
                "quarkus.rate-limit.timeout=61s",
                "quarkus.rate-limit.policies.login.permits=0",
                "quarkus.rate-limit.policies.login.period=1m",
                "quarkus.rate-limit.policies.login.burts=5",
                "acme.password=secret")
                .andMethod("com.acme.AuthResource#login()", new PolicyUse("logn", 1));

        assertThatThrownBy(configured::read).isInstanceOf(ConfigurationException.class).hasMessage("""
                Rate limits cannot start, 4 mistakes to correct:
                - @RateLimited("logn") on com.acme.AuthResource#login() names no policy. Configured policies: login. Add \
                quarkus.rate-limit.policies.logn.* or correct the name.
                - quarkus.rate-limit.policies.login.burts (application.properties) is no property of the rate limiter; did you \
                mean quarkus.rate-limit.policies.login.burst?
                - quarkus.rate-limit.policies.login.permits=0 must be a whole number from 1 to 1000000000.
                - quarkus.rate-limit.timeout=61s must be from 1ms to 60s.""");
    }
}
