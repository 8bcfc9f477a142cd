package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.quarkiverse.ratelimit.docs.Run.Request;

/**
 * Draws what the algorithms do with the same traffic, the path of a request, and the states of an outage. Also writes the table
 * beside the pictures, the charts and tables of what the benchmarks have measured, and the examples in the pages.
 * {@code -Dpictures} runs it.
 */
final class Pictures {

    private static final Path ROOT = Path.of("modules/ROOT");

    public static void main(String... none) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (PicturedLimit pictured : PicturedLimit.ALL) {
            Run run = Run.of(pictured, Traffic.ALL);
            write("images/" + pictured.algorithm() + ".svg", Picture.of(pictured, run));
            rows.append(row(pictured, run));
        }
        write("images/path.svg", CallPath.draw());
        write("images/outage.svg", OutageStates.draw());
        write("partials/same-traffic.adoc", header() + rows + "|===\n");
        PerformanceCharts.all().forEach((name, chart) -> write("images/performance-" + name + ".svg", chart));
        PerformanceTables.all().forEach((name, table) -> write("partials/performance-" + name + ".adoc", table));
        for (Path page : PagesTest.sources()) {
            write("pages/" + page, Examples.update(Files.readString(PagesTest.SOURCES.resolve(page))));
        }
    }

    private static void write(String file, String text) {
        try {
            Files.writeString(ROOT.resolve(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String header() {
        List<String> names = Traffic.ALL.stream().map(Traffic::name).toList();
        return "[cols=\"2" + ",1".repeat(names.size() + 1) + "\"]\n|===\n|Allowed of |" + String.join(" |", names)
                + " |most in any 10 s\n\n";
    }

    private static String row(PicturedLimit pictured, Run run) {
        StringBuilder row = new StringBuilder("|`" + pictured.algorithm() + "`\n");
        for (Traffic traffic : Traffic.ALL) {
            row.append('|').append(run.of(traffic).stream().filter(Request::allowed).count()).append('\n');
        }
        return row.append('|').append(run.mostInAnySpan()).append("\n\n").toString();
    }
}
