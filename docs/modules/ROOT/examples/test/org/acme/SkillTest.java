package org.acme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/**
 * The skill for coding agents shows code of the examples, and properties that exist: the application of this test starts with
 * them.
 */
@QuarkusTest
@TestProfile(ExampleProfile.InProduction.class)
class SkillTest {

    private static final String SKILL = read(Path.of("../deployment/src/main/resources/META-INF/quarkus-skill.md"));
    private static final String REFERENCE = read(
            Path.of("modules/ROOT/pages/includes/quarkus-rate-limit_quarkus.rate-limit.adoc"));
    private static final Pattern SNIPPET = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
    private static final Pattern IN_TEXT = Pattern.compile("`([a-z][a-z0-9.-]+)(=[^`]+)?`");

    @Test
    void codeIsThatOfTheExamples() throws IOException {
        List<String> examples;
        try (Stream<Path> files = Files.walk(Path.of("modules/ROOT/examples"))) {
            examples = files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> read(file).replaceAll("(?m)^ *// (tag|end)::.*\\n", "")).toList();
        }

        assertThat(snippets("java")).isNotEmpty()
                .allSatisfy(code -> assertThat(examples).anyMatch(example -> example.contains(code)));
    }

    @Test
    void propertiesOfSnippetsAreInForce() {
        assertThat(properties()).hasSizeGreaterThan(20).allSatisfy((name, value) -> assertThat(
                ConfigProvider.getConfig().getValue(name, String.class)).isNotEmpty());
    }

    @Test
    void propertiesInTheTextAreThoseOfTheReference() {
        List<String> known = matches(Pattern.compile("\\+\\+\\+(quarkus\\.rate-limit\\..*?)\\+\\+\\+"), REFERENCE)
                .map(match -> match.group(1))
                .map(name -> name.replaceAll("\"\\w+\"", "NAME")).distinct().toList();

        assertThat(matches(IN_TEXT, SKILL.replaceAll("(?ms)^```.*?^```$", ""))
                .filter(text -> text.group(2) != null || text.group(1).startsWith("quarkus.rate-limit."))
                .map(text -> text.group(1).replaceAll("(routes|policies|limits)\\.\\w+", "$1.NAME"))).hasSizeGreaterThan(10)
                .allSatisfy(
                        name -> assertThat(known).anyMatch(property -> property.equals(name) || property.endsWith('.' + name)));
    }

    /** All but those of production. */
    static Map<String, String> properties() {
        return snippets("properties").flatMap(String::lines).filter(line -> !line.startsWith("%"))
                .map(line -> line.split("=", 2)).collect(Collectors.toMap(line -> line[0], line -> line[1]));
    }

    private static Stream<String> snippets(String language) {
        return matches(SNIPPET, SKILL).filter(snippet -> snippet.group(1).equals(language)).map(snippet -> snippet.group(2));
    }

    private static Stream<MatchResult> matches(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
