package io.quarkiverse.ratelimit.runtime.operate.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.eclipse.microprofile.health.HealthCheck;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.MissingKey;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.OnRedisFailure;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.Store;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkus.arc.InjectableInstance;

class ReadinessWarningTest {

    @Test
    void onlyPoliciesThatDenyDoNotGoOnWithoutRedis() {
        assertThat(ReadinessWarning.workingWithoutRedis(settings(true, Store.REDIS))).containsExactly("allow", "local");
    }

    @Test
    void noWarningForLimitsThatAreOff() {
        assertThat(ReadinessWarning.workingWithoutRedis(settings(false, Store.REDIS))).isEmpty();
    }

    @Test
    void noWarningForLimitsInMemory() {
        assertThat(ReadinessWarning.workingWithoutRedis(settings(true, Store.MEMORY))).isEmpty();
    }

    /** As with {@code quarkus.redis.health.enabled=false}: the warning would need the other beans, too. */
    @Test
    @SuppressWarnings("unchecked")
    void noWarningWithoutTheCheckOfRedis() {
        InjectableInstance<HealthCheck> none = (InjectableInstance<HealthCheck>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] { InjectableInstance.class }, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("handlesStream");
                    return Stream.empty();
                });

        assertThatCode(() -> new ReadinessWarning(settings(true, Store.REDIS), null, null, none)).doesNotThrowAnyException();
    }

    private static Settings settings(boolean enabled, Store store) {
        return new Settings(enabled, store, "test", Duration.ofSeconds(1), OnRedisFailure.LOCAL, 1, 0, Set.of(), 64, 0, null,
                List.of(),
                new TreeMap<>(Map.of("local", policy("local", OnRedisFailure.LOCAL, true),
                        "allow", policy("allow", OnRedisFailure.ALLOW, true),
                        "deny", policy("deny", OnRedisFailure.DENY, true),
                        "off", policy("off", OnRedisFailure.LOCAL, false))),
                List.of(), new TreeMap<>());
    }

    private static Policy policy(String name, OnRedisFailure onRedisFailure, boolean enabled) {
        return new Policy(name, List.of(), KeyTemplate.GLOBAL, MissingKey.IP, onRedisFailure, Mode.ENFORCE, enabled);
    }
}
