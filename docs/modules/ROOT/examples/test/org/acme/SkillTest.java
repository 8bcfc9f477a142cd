package org.acme;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

import jakarta.inject.Inject;
import jakarta.ws.rs.WebApplicationException;

import org.acme.outgoing.Bank;
import org.acme.outgoing.Ledger;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;

/**
 * The skill for coding agents shows code of the examples, and properties that exist. The application of this test has both, and
 * does what the skill says.
 */
@QuarkusTest
@TestProfile(ExampleProfile.InProduction.class)
@QuarkusTestResource(Bank.class)
class SkillTest extends FreshLimits {

    private static final String SKILL = read(Path.of("../deployment/src/main/resources/META-INF/quarkus-skill.md"));
    private static final Path INCLUDES = Path.of("modules/ROOT/pages/includes");
    private static final String REFERENCE = read(INCLUDES.resolve("quarkus-rate-limit.adoc"))
            + read(INCLUDES.resolve("quarkus-rate-limit-langchain4j.adoc"));
    private static final Path EXAMPLES = Path.of("modules/ROOT/examples");
    /** What a developer of Quarkus applications knows. */
    private static final String PLATFORM = """
            import java.util.*;
            import jakarta.enterprise.context.*;
            import jakarta.inject.*;
            import jakarta.ws.rs.*;
            import jakarta.ws.rs.core.*;
            import io.smallrye.mutiny.*;
            import org.eclipse.microprofile.rest.client.inject.*;
            import org.junit.jupiter.api.*;
            """;
    private static final Pattern TYPE = Pattern.compile("(?m)^public (?:class|interface) (\\w+)");
    private static final Pattern PACKAGE = Pattern.compile("(?m)^- `(io[\\w.]+)`: (.+)$");
    private static final Pattern SNIPPET = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
    private static final Pattern IN_TEXT = Pattern.compile("`([a-z][a-z0-9.-]+)(=[^`]+)?`");

    @Inject
    RateLimiters limiters;

    @RestClient
    Ledger ledger;

    @Test
    void codeIsThatOfTheExamples() {
        assertThat(snippets("java")).isNotEmpty().allSatisfy(code -> assertThat(examples(code)).hasSize(1));
    }

    @Test
    void codeCompilesWithTheTypesWhosePackagesItNames() throws IOException {
        for (String code : snippets("java").toList()) {
            Path example = examples(code).get(0);
            if (!example.startsWith(EXAMPLES.resolve("main")) && !example.startsWith(EXAMPLES.resolve("test"))) {
                continue; // another module compiles it
            }
            Matcher type = TYPE.matcher(code);
            Path source = Path.of("target/skill").resolve((type.find() ? type.group(1) : "Snippet") + ".java");
            Files.createDirectories(source.getParent());
            Files.writeString(source, read(example).lines().findFirst().orElseThrow() + '\n' + imports() + PLATFORM
                    + (type.hitEnd() ? "class Snippet {" + code + "}" : code));
            ByteArrayOutputStream errors = new ByteArrayOutputStream();

            ToolProvider.getSystemJavaCompiler().run(null, null, errors, "-proc:none", "-d", "target/skill", "-classpath",
                    System.getProperty("java.class.path"), source.toString());

            assertThat(errors.toString()).doesNotContain("error:");
        }
    }

    @Test
    void typesOfTheApiAreNamedWithTheirPackage() throws IOException {
        for (String packageName : List.of("io/quarkiverse/ratelimit", "io/quarkiverse/ratelimit/spi")) {
            try (Stream<Path> types = Files.list(Path.of("../runtime/src/main/java", packageName))) {
                assertThat(types.map(type -> type.getFileName().toString().replace(".java", ""))
                        .filter(type -> SKILL.matches("(?s).*[`@<(]" + type + "\\b.*")))
                        .allSatisfy(type -> assertThat(imports()).contains(packageName.replace('/', '.') + '.' + type + ';'));
            }
        }
    }

    @Test
    void loginsAreLimitedByUserAndByAddress() {
        for (int guess = 1; guess <= 30; guess++) {
            signIn("alice", "secret").statusCode(204);
        }
        for (int guess = 1; guess <= 5; guess++) {
            signIn("alice", "guess").statusCode(401);
        }
        signIn("alice", "secret").statusCode(429).body("'violated-policies'", is(List.of("login-user")));

        for (int user = 1; user <= 15; user++) {
            signIn("user" + user, "guess").statusCode(401);
        }
        signIn("bob", "secret").statusCode(429).body("'violated-policies'", is(List.of("login-address")));
    }

    @Test
    void customersHaveThePlanOfTheirApiKeyAndSeeTheirLimit() {
        given().header("X-Api-Key", "u5v6").get("/tides").then().statusCode(200).header("X-RateLimit-Limit", is("2"));
        given().header("X-Api-Key", "a1b2").get("/tides").then().statusCode(200).header("X-RateLimit-Limit", is("60"));
        given().header("X-Api-Key", "a1b2").get("/tides/limit").then().body("limit", is(60));
        assertThat(Stream.of("x", "y", "z").map(key -> given().header("X-Api-Key", key).get("/tides").statusCode()))
                .containsExactly(401, 401, 429);
    }

    @Test
    void outgoingCallsWaitAndObeyRetryAfter() {
        limiters.get("ledger").charge(4);
        assertThat(limiters.get("ledger").tryAcquire().delay()).isPositive();

        assertThatThrownBy(ledger::entries).isInstanceOf(WebApplicationException.class);
        assertThatThrownBy(ledger::entries).isInstanceOfSatisfying(RateLimitExceededException.class,
                denied -> assertThat(denied.decision().denialReason()).contains(DenialReason.PAUSED));
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
                .map(text -> text.group(1).replaceAll("(routes|policies|limits|permit-price)\\.\\w+", "$1.NAME")))
                .hasSizeGreaterThan(10)
                .allSatisfy(
                        name -> assertThat(known).anyMatch(property -> property.equals(name) || property.endsWith('.' + name)));
    }

    /** All but those of production. */
    static Map<String, String> properties() {
        return snippets("properties").flatMap(String::lines).filter(line -> !line.startsWith("%"))
                .map(line -> line.split("=", 2)).collect(Collectors.toMap(line -> line[0], line -> line[1]));
    }

    private static ValidatableResponse signIn(String user, String password) {
        return given().contentType("application/json").body(Map.of("user", user, "password", password)).post("/sign-in").then();
    }

    /** The files that contain the code. */
    private static List<Path> examples(String code) {
        try (Stream<Path> files = Files.walk(EXAMPLES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> read(file).replaceAll("(?m)^ *// (tag|end)::.*\\n", "").replaceAll(" // <\\d>", "")
                            .contains(code))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Imports of the types that the skill lists by package. */
    private static String imports() {
        return matches(PACKAGE, SKILL).flatMap(line -> matches(Pattern.compile("`(\\w+)`"), line.group(2))
                .map(type -> "import " + line.group(1) + '.' + type.group(1) + ";\n")).collect(Collectors.joining());
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
