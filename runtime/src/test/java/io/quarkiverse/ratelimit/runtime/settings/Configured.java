package io.quarkiverse.ratelimit.runtime.settings;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.IntStream;

import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.CallParameters;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod;
import io.quarkiverse.ratelimit.runtime.policy.LimitedMethod.PolicyUse;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences.InjectedLimiter;
import io.quarkiverse.ratelimit.runtime.settings.SettingsReader.ResolverBeans;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

/** A configuration made of the lines of a file and of environment variables, read as Quarkus reads it. */
record Configured(Map<String, String> file, Map<String, String> variables, List<LimitedMethod> methods,
        List<InjectedLimiter> limiters) {

    static Configured with(String... lines) {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(String.join("\n", lines)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> file = new HashMap<>();
        properties.forEach((name, value) -> file.put((String) name, (String) value));
        return new Configured(file, Map.of(), List.of(), List.of());
    }

    Configured andVariable(String name, String value) {
        Map<String, String> more = new HashMap<>(variables);
        more.put(name, value);
        return new Configured(file, more, methods, limiters);
    }

    Configured andMethod(String id, PolicyUse... uses) {
        List<LimitedMethod> more = new ArrayList<>(methods);
        more.add(new LimitedMethod(id, List.of(uses), false, CallParameters.NONE, false, false, false));
        return new Configured(file, variables, more, limiters);
    }

    /** A method that serves HTTP requests. */
    Configured andResource(String id, CallParameters parameters, PolicyUse... uses) {
        List<LimitedMethod> more = new ArrayList<>(methods);
        more.add(new LimitedMethod(id, List.of(uses), true, parameters, true, false, false));
        return new Configured(file, variables, more, limiters);
    }

    Configured andLimiter(String policy, String place) {
        return new Configured(file, variables, methods, List.of(new InjectedLimiter(policy, place)));
    }

    Settings read() {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters()
                .withProfile("dev")
                .withSources(new PropertiesConfigSource(file, "application.properties", 250))
                .withSources(new EnvConfigSource(variables, 300))
                .withMapping(RateLimitConfig.class).withMappingIgnore("quarkus.**").build();
        return SettingsReader.read(config.getConfigMapping(RateLimitConfig.class), config,
                new PolicyReferences(methods, limiters),
                new ResolverBeans(Map.of("tenant", List.of(1), "twice", List.of(1, 2)), Map.of("contract", List.of(1))));
    }

    /** Each mistake is a line of its own. */
    List<String> mistakes() {
        ConfigurationException exception = catchThrowableOfType(ConfigurationException.class, this::read);
        return exception == null ? List.of()
                : exception.getMessage().lines().skip(1).map(line -> line.substring("- ".length())).toList();
    }

    /** What SmallRye Config reports, each problem as a line of its own. */
    List<String> problems() {
        ConfigValidationException exception = catchThrowableOfType(ConfigValidationException.class, this::read);
        return exception == null ? List.of()
                : IntStream.range(0, exception.getProblemCount()).mapToObj(i -> exception.getProblem(i).getMessage()).toList();
    }
}
