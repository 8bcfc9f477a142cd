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

    private static final Path SOURCES = Path.of("modules/ROOT/pages");
    private static final Path RENDERED = Path.of("target/generated-docs");
    private static final Pattern LINK = Pattern.compile("<a [^>]*href=\"(?!https?:)([^\"#]*)(?:#([^\"]*))?\"");
    private static final Pattern IMAGE = Pattern.compile("<img ");
    private static final Pattern PICTURE = Pattern.compile("<img src=\"([^\"]*)\" alt=\"([^\"]*)\"");
    private static final Path LLMS = Path.of("modules/ROOT/attachments/llms.txt");
    private static final String SITE = "https://docs.quarkiverse.io/quarkus-rate-limit/dev/";
    private static final Pattern TITLE = Pattern.compile("\\A= (.+)");
    private static final Pattern DESCRIPTION = Pattern.compile("(?m)^:description: (.+)$");
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

    @Test
    void navigationLeadsToEveryPage() throws IOException {
        List<Path> pages = files(SOURCES, ".adoc").stream().map(SOURCES::relativize)
                .filter(page -> !page.startsWith("includes")).toList();

        assertThat(found(XREF, Path.of("modules/ROOT/nav.adoc"))).extracting(xref -> Path.of(xref.group(1)))
                .containsExactlyInAnyOrderElementsOf(pages);
    }

    /** Without the navigation of Antora, too. */
    @Test
    void overviewLeadsToEveryPage() throws IOException {
        List<Path> pages = files(SOURCES, ".adoc").stream().map(SOURCES::relativize)
                .filter(page -> !page.startsWith("includes") && !page.equals(Path.of("index.adoc"))).toList();

        assertThat(found(XREF, SOURCES.resolve("index.adoc")))
                .extracting(xref -> Path.of(xref.group(1).replaceFirst("#.*", "")).normalize()).containsAll(pages);
    }

    /** Pages, in the order of the navigation, for agents. With {@code -Dpictures} the file is written again. */
    @Test
    void llmsTxtDescribesEveryPageInALine() throws IOException {
        StringBuilder index = new StringBuilder("# Quarkus Rate Limit\n\n> ").append(description(SOURCES.resolve("index.adoc")))
                .append("\n\n");
        for (MatchResult xref : found(XREF, Path.of("modules/ROOT/nav.adoc"))) {
            Path page = SOURCES.resolve(xref.group(1));
            String title = found(TITLE, page).get(0).group(1).replace("`", "");
            index.append(
                    "- [" + title + "](" + SITE + xref.group(1).replace(".adoc", ".html") + "): " + description(page) + '\n');
        }
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
    void thereAreAtMostFortyPages() throws IOException {
        assertThat(files(SOURCES, ".adoc").stream().map(SOURCES::relativize).filter(page -> !page.startsWith("includes")))
                .hasSizeLessThanOrEqualTo(40);
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

    private static List<MatchResult> found(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file)).results().toList();
    }

    private static List<Path> files(Path root, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList();
        }
    }
}
