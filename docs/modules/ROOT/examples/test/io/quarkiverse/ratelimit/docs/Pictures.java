package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.docs.Run.Request;

/**
 * The pictures of the algorithms, and the table beside them, are what the algorithms do. With {@code -Dpictures} they are
 * drawn again, and so is the path of a request.
 */
class PicturesTest {

    private static final Path IMAGES = Path.of("modules/ROOT/images");
    private static final Path TABLE = Path.of("modules/ROOT/partials/same-traffic.adoc");

    @Test
    void picturesAndTableShowWhatTheAlgorithmsDo() throws IOException {
        TreeMap<Path, String> drawn = new TreeMap<>();
        StringBuilder rows = new StringBuilder();
        for (PicturedLimit pictured : PicturedLimit.ALL) {
            Run run = Run.of(pictured, Traffic.ALL);
            drawn.put(IMAGES.resolve(pictured.algorithm() + ".svg"), Picture.of(pictured, run));
            rows.append(row(pictured, run));
        }
        drawn.put(IMAGES.resolve("path.svg"), CallPath.draw());
        drawn.put(TABLE, header() + rows + "|===\n");
        if (System.getProperty("pictures") != null) {
            for (Path file : drawn.keySet()) {
                Files.createDirectories(file.getParent());
                Files.writeString(file, drawn.get(file));
            }
        }

        try (Stream<Path> images = Files.list(IMAGES)) {
            assertThat(images.filter(image -> !image.getFileName().toString().startsWith(PerformanceTest.PREFIX)))
                    .containsExactlyInAnyOrderElementsOf(drawn.headMap(TABLE).keySet());
        }
        for (Path file : drawn.keySet()) {
            assertThat(file).as("draw it again with -Dpictures").content().isEqualTo(drawn.get(file));
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
