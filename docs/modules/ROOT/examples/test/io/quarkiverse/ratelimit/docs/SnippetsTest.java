package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader;
import io.quarkiverse.ratelimit.runtime.policy.settings.SettingsReader.ResolverBeans;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

/** An application can start with the properties that the pages show, in each profile: it reads them without a mistake. */
class SnippetsTest {

    private static final Path RENDERED = Path.of("target/generated-docs");
    private static final Pattern BLOCK = Pattern
            .compile("(?s)<code (?:class=\"[^\"]*\" )?data-lang=\"properties\">(.*?)</code>");
    private static final Pattern IN_TEXT = Pattern
            .compile("<code>((?:%\\w+\\.)?quarkus\\.rate-limit\\.[\\w.-]+=[^<&]*)</code>");
    private static final Pattern PROFILE = Pattern.compile("(?m)^%(\\w+)\\.");
    private static final Pattern BEAN = Pattern.compile("bean:([\\w-]+)");
    /** What the sentence around a property says that it needs. */
    private static final String AROUND_TEXT = "quarkus.http.proxy.trusted-proxies=10.0.0.0/8\n";

    /** The properties of a block, or one in the text of the page. */
    record Snippet(Path page, String properties, String profile) {
    }

    static Stream<Snippet> snippets() throws IOException {
        List<Snippet> snippets = new ArrayList<>();
        try (Stream<Path> pages = Files.walk(RENDERED)) {
            for (Path page : pages.filter(file -> file.toString().endsWith(".html")).sorted().toList()) {
                String text = Files.readString(page);
                Stream.concat(found(BLOCK, text), found(IN_TEXT, text).map(AROUND_TEXT::concat)).map(SnippetsTest::unescaped)
                        .forEach(shown -> profiles(shown)
                                .forEach(profile -> snippets.add(new Snippet(page.getFileName(), shown, profile))));
            }
        }
        assertThat(snippets).hasSizeGreaterThan(200);
        return snippets.stream();
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void isReadWithoutAMistake(Snippet snippet) throws IOException {
        LaunchMode.set(switch (snippet.profile()) {
            case "dev" -> LaunchMode.DEVELOPMENT;
            case "test" -> LaunchMode.TEST;
            default -> LaunchMode.NORMAL;
        });
        String example = Files.readString(Path.of("modules/ROOT/examples/resources/application.properties"));

        assertThatCode(() -> {
            try {
                read(snippet, "");
            } catch (ConfigurationException partOfTheExample) {
                read(snippet, example);
            }
        }).doesNotThrowAnyException();
    }

    private static void read(Snippet snippet, String otherProperties) throws IOException {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters()
                .withProfile(snippet.profile())
                .withSources(new PropertiesConfigSource(properties(otherProperties), "the example", 100))
                .withSources(new PropertiesConfigSource(properties(snippet.properties()), "the snippet", 250))
                .withMapping(RateLimitConfig.class).withMappingIgnore("quarkus.**").build();
        Map<String, List<Integer>> beans = beans(otherProperties + snippet.properties());
        SettingsReader.read(config.getConfigMapping(RateLimitConfig.class), config,
                new PolicyReferences(List.of(), List.of(), List.of("quarkus.rate-limit.langchain4j.permit-price")),
                new ResolverBeans(beans, beans));
    }

    @AfterEach
    void restoreLaunchMode() {
        LaunchMode.set(LaunchMode.TEST);
    }

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1));
    }

    private static String unescaped(String html) {
        return html.replaceAll("<[^>]*>", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    }

    private static Set<String> profiles(String properties) {
        Set<String> profiles = new TreeSet<>(Set.of("dev", "test", "prod"));
        found(PROFILE, properties).forEach(profiles::add);
        return profiles;
    }

    private static Map<String, String> properties(String text) throws IOException {
        Properties read = new Properties();
        read.load(new StringReader(text));
        Map<String, String> properties = new HashMap<>();
        read.forEach((name, value) -> properties.put((String) name, (String) value));
        return properties;
    }

    private static Map<String, List<Integer>> beans(String properties) {
        return BEAN.matcher(properties).results().map((MatchResult bean) -> bean.group(1)).distinct()
                .collect(Collectors.toMap(name -> name, name -> List.of(1)));
    }
}
