package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;

/** The rendered pages are complete: every link leads somewhere, and the navigation to every page. */
class PagesTest {

    static final Path SOURCES = Path.of("modules/ROOT/pages");
    private static final Path RENDERED = Path.of("target/generated-docs");
    private static final Pattern LINK = Pattern.compile("<a [^>]*href=\"(?!https?:)([^\"#]*)(?:#([^\"]*))?\"");
    private static final Pattern IMAGE = Pattern.compile("<img ");
    private static final Pattern PICTURE = Pattern.compile("<img src=\"([^\"]*)\" alt=\"([^\"]*)\"");
    private static final Path LLMS = Path.of("llms.txt");
    private static final Path SKILL = Path.of("../deployment/src/main/resources/META-INF/quarkus-skill.md");
    private static final Pattern TITLE = Pattern.compile("\\A= (.+)");
    private static final Pattern DESCRIPTION = Pattern.compile("(?m)^:description: (.+)$");
    /** Comments, attributes, and what is between the delimiters of code and tables. */
    private static final Pattern NOT_PROSE = Pattern
            .compile("(?ms)^// .*?$|^[:\\[][^\n]*$|^include::[^\n]*$|^----$.*?^----$|^\\|===$.*?^\\|===$");
    private static final Pattern XREF = Pattern.compile("xref:([^\\[]+)\\[[^\\]]+]");

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        for (Path page : files(RENDERED, ".html")) {
            for (MatchResult link : found(LINK, page)) {
                Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));

                assertThat(target).as("%s in %s", link.group(), page).exists();
                if (link.group(2) != null) {
                    assertThat(target).content().as("%s in %s", link.group(), page).contains("id=\"" + link.group(2) + '"');
                }
            }
        }
    }

    @Test
    void everyPictureIsThereAndIsDescribed() throws IOException {
        for (Path page : files(RENDERED, ".html")) {
            List<MatchResult> pictures = found(PICTURE, page);

            assertThat(pictures).as(page.toString()).hasSameSizeAs(found(IMAGE, page)).allSatisfy(picture -> {
                assertThat(page.resolveSibling(picture.group(1))).exists();
                assertThat(picture.group(2)).contains(" ").isNotEqualTo(undescribed(picture.group(1)));
            });
        }
        assertThat(found(PICTURE, RENDERED.resolve("concepts/algorithms.html"))).hasSameSizeAs(PicturedLimit.ALL);
    }

    /** What Asciidoctor says of a picture when the page says nothing. */
    private static String undescribed(String source) {
        return Path.of(source).getFileName().toString().replaceFirst("\\.\\w+$", "").replaceAll("[-_]", " ");
    }

    @Test
    void pageOnDecisionsNamesEverySource() {
        for (Source source : Source.values()) {
            assertThat(SOURCES.resolve("reference/limiter.adoc")).content().contains("* `" + source + "`: ");
        }
    }

    @Test
    void noExampleShowsAWaitOfLessThanASecondAsNone() throws IOException {
        for (Path example : files(Path.of("modules/ROOT/examples/main"), ".java")) {
            assertThat(example).content().doesNotContain("retryAfter().toSeconds", "retryAfter().getSeconds");
        }
    }

    /** With {@code -Dpictures} they are copied again. */
    @Test
    void pagesShowTheirExamplesAsTheyAre() throws IOException {
        for (Path page : sources()) {
            String text = Files.readString(SOURCES.resolve(page));

            assertThat(text).as("%s: copy its examples again with -Dpictures", page).isEqualTo(Examples.update(text));
            assertThat(found(Examples.BLOCK, SOURCES.resolve(page))).as("%s: blocks below the names of examples", page)
                    .hasSameSizeAs(found(Pattern.compile("(?m)^" + Examples.COMMENT), SOURCES.resolve(page)));
        }
    }

    /** A host of repositories, and agents that read the sources, do not resolve includes. */
    @Test
    void pagesIncludeOnlyGeneratedTables() throws IOException {
        for (Path page : sources()) {
            assertThat(found(Pattern.compile("(?m)^include::(.*)\\["), SOURCES.resolve(page))).as(page.toString())
                    .extracting(include -> include.group(1))
                    .allMatch(file -> file.startsWith("../../partials/") || file.contains("includes/"));
        }
    }

    @Test
    void navigationLeadsToEveryPage() throws IOException {
        assertThat(found(XREF, Path.of("modules/ROOT/nav.adoc"))).extracting(xref -> Path.of(xref.group(1)))
                .containsExactlyInAnyOrderElementsOf(sources());
    }

    /** Without the navigation of Antora, too. */
    @Test
    void overviewLeadsToEachPageOnce() throws IOException {
        List<Path> pages = sources().stream().filter(page -> !page.equals(Path.of("index.adoc"))).toList();

        assertThat(found(XREF, SOURCES.resolve("index.adoc")))
                .extracting(xref -> Path.of(xref.group(1).replaceFirst("#.*", "")).normalize())
                .containsExactlyInAnyOrderElementsOf(pages);
    }

    /**
     * Sources of pages, in the order of the navigation, and the skill, for agents. With {@code -Dpictures} the file is written
     * again.
     */
    @Test
    void llmsTxtDescribesEveryPageInALine() throws IOException {
        StringBuilder index = new StringBuilder("# Quarkus Rate Limit\n\n> ").append(description(SOURCES.resolve("index.adoc")))
                .append("\n\n");
        for (MatchResult xref : found(XREF, Path.of("modules/ROOT/nav.adoc"))) {
            Path page = SOURCES.resolve(xref.group(1));
            String title = found(TITLE, page).get(0).group(1).replace("`", "");
            index.append("- [" + title + "](" + page + "): " + description(page) + '\n');
        }
        assertThat(SKILL).exists();
        index.append("- [Skill for coding agents](" + SKILL + "): Complete examples, with the package of each type.\n");
        if (System.getProperty("pictures") != null) {
            Files.writeString(LLMS, index);
        }

        assertThat(LLMS).as("write it again with -Dpictures").content().isEqualTo(index.toString());
    }

    private static String description(Path page) throws IOException {
        assertThat(found(DESCRIPTION, page)).as(page.toString()).hasSize(1);
        return found(DESCRIPTION, page).get(0).group(1);
    }

    /** More pages would be hard to survey. */
    @Test
    void thereAreAtMostFortyThreePages() throws IOException {
        assertThat(sources()).hasSizeLessThanOrEqualTo(43);
    }

    /** Code, tables and references are looked up, not read. */
    @Test
    void noPageHasMoreThan1400WordsOfProse() throws IOException {
        for (Path page : sources()) {
            String prose = NOT_PROSE.matcher(Files.readString(SOURCES.resolve(page))).replaceAll("");

            if (!page.startsWith("reference")) {
                assertThat(prose.split("\\s+")).as(page.toString()).hasSizeLessThanOrEqualTo(1400);
            }
        }
    }

    /** Antora takes a page's links as relative to the module unless they begin with a dot, Asciidoctor as to the page. */
    @Test
    void linksBetweenPagesBeginWithADot() throws IOException {
        for (Path page : files(SOURCES, ".adoc")) {
            assertThat(found(XREF, page)).as(page.toString()).allMatch(xref -> xref.group(1).startsWith("."));
        }
    }

    @Test
    void nothingIsLeftUnresolved() throws IOException {
        for (Path page : files(RENDERED, ".html")) {
            assertThat(page).content().doesNotContain("tag::", "end::", "Unresolved directive", "{project-version}");
        }
    }

    @Test
    void versionIsThatOfTheReleaseFile() throws IOException {
        String version = found(Pattern.compile("current-version: \"(.+)\""), Path.of("../.github/project.yml")).get(0).group(1);

        assertThat(RENDERED.resolve("getting-started.html")).content().contains("quarkus-rate-limit:" + version);
        assertThat(Path.of("../README.md")).content().contains("<version>" + version + "</version>");
    }

    /** The pages that people write. */
    static List<Path> sources() throws IOException {
        return files(SOURCES, ".adoc").stream().map(SOURCES::relativize).filter(page -> !page.startsWith("includes")).toList();
    }

    private static List<MatchResult> found(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file)).results().toList();
    }

    private static List<Path> files(Path root, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }
}
