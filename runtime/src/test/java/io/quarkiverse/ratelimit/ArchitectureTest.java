package io.quarkiverse.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ARCHITECTURE.md} and {@code CONTRIBUTING.md} name what the sources have. */
class ArchitectureTest {

    private static final Path ROOT = Path.of("..");
    private static final Path BOOTSTRAP = ROOT
            .resolve("runtime/src/main/java/io/quarkiverse/ratelimit/runtime/start/Bootstrap.java");
    /** The end of a package, then a class, then a nested class or a member of it. */
    private static final Pattern NAME = Pattern.compile("`([a-z.]*\\.)?([A-Z]\\w*[a-z]\\w*)(\\.\\w+)?`");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]*)#?([^):]*)\\)");
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    /** A class of Mutiny, and a header. */
    private static final Set<String> FOREIGN = Set.of("`Uni`", "`RateLimit`");

    @ParameterizedTest
    @ValueSource(strings = { "ARCHITECTURE.md", "CONTRIBUTING.md" })
    void namedClassesExist(String page) throws IOException {
        List<Path> sources = sources();
        List<String> unknown = new ArrayList<>();
        for (MatchResult name : matches(NAME, read(page))) {
            String file = (name.group(1) == null ? "" : name.group(1).replace('.', '/')) + name.group(2) + ".java";
            boolean exists = false;
            for (Path source : sources) {
                exists |= source.toString().endsWith('/' + file)
                        && (name.group(3) == null || Files.readString(source).contains(name.group(3).substring(1)));
            }
            if (!exists && !FOREIGN.contains(name.group())) {
                unknown.add(name.group());
            }
        }

        assertThat(unknown).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "benchmarks/README.md" })
    void linksLeadSomewhere(String page) throws IOException {
        for (MatchResult link : matches(LINK, read(page))) {
            Path target = link.group(1).isEmpty() ? ROOT.resolve(page)
                    : ROOT.resolve(page).resolveSibling(link.group(1));

            assertThat(target).exists();
            if (!link.group(2).isEmpty()) {
                assertThat(Files.readString(target).lines().filter(line -> line.startsWith("#"))
                        .map(ArchitectureTest::anchor)).contains(link.group(2));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = "ARCHITECTURE.md")
    void showsHowTheChainIsComposed(String page) throws IOException {
        List<MatchResult> snippets = matches(SNIPPET, read(page));

        assertThat(snippets).isNotEmpty().allSatisfy(snippet -> assertThat(Files.readString(BOOTSTRAP))
                .containsIgnoringWhitespaces(snippet.group(1)));
    }

    /** As GitHub derives it from a heading. */
    private static String anchor(String heading) {
        return heading.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
    }

    private static List<MatchResult> matches(Pattern pattern, String text) {
        List<MatchResult> matches = pattern.matcher(text).results().toList();
        assertThat(matches).isNotEmpty();
        return matches;
    }

    private static String read(String page) throws IOException {
        return Files.readString(ROOT.resolve(page));
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                // other tests write there
                return folder.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(".java")) {
                    sources.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }
}
