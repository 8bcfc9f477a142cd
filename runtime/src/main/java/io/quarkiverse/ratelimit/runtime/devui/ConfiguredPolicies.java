package io.quarkiverse.ratelimit.runtime.devui;

import java.util.List;

import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.ratelimit.RateLimitOverride;
import io.quarkiverse.ratelimit.runtime.engine.Administration;
import io.quarkiverse.ratelimit.runtime.policy.Mode;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.smallrye.config.SmallRyeConfig;

/** Serves the page of policies: their properties with the source of each, and their overrides. */
@Singleton
public class ConfiguredPolicies {

    /** The most overrides of a policy that the page shows. There may be one for each caller. */
    private static final int MAX_OVERRIDES = 100;

    private final Settings settings;
    private final Administration administration;
    private final PropertySources sources = new PropertySources(ConfigProvider.getConfig().unwrap(SmallRyeConfig.class));

    ConfiguredPolicies(Settings settings, Administration administration) {
        this.settings = settings;
        this.administration = administration;
    }

    public String policyCount() {
        return String.valueOf(settings.policies().size());
    }

    public List<ShownPolicy> policies() {
        return settings.policies().values().stream().map(this::shown).toList();
    }

    private ShownPolicy shown(Policy policy) {
        List<? extends RateLimitOverride> overrides = administration.overrides(policy);
        return new ShownPolicy(policy.name(), ShownLimit.of(policy.limits()), settings.enabled() && policy.enabled(),
                policy.mode() == Mode.SHADOW, new PolicySettings(policy, sources).list(),
                overrides.stream().limit(MAX_OVERRIDES).flatMap(ShownOverride::of).toList(),
                Math.max(0, overrides.size() - MAX_OVERRIDES));
    }

    /**
     * A policy.
     *
     * @param moreOverrides the number of overrides that are not shown
     */
    public record ShownPolicy(String name, List<ShownLimit> limits, boolean enabled, boolean shadow,
            List<ShownSetting> settings, List<ShownOverride> overrides, int moreOverrides) {
    }
}
