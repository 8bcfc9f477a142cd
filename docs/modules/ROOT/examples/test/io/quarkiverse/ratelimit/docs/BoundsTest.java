package io.quarkiverse.ratelimit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

/** The tables of bounds show the constants of the code. With {@code -Dpictures} they are generated again. */
class BoundsTest {

    private static final Path PARTIALS = Path.of("modules/ROOT/partials");

    @Test
    void tablesShowTheBoundsOfTheCode() throws IOException, ReflectiveOperationException {
        Map<Path, String> tables = new TreeMap<>();
        tables.put(PARTIALS.resolve("bounds-values.adoc"), table(Bound.VALUES));
        tables.put(PARTIALS.resolve("bounds-instance.adoc"), table(Bound.INSTANCE));
        tables.put(PARTIALS.resolve("bounds-shared.adoc"), table(Bound.SHARED));
        if (System.getProperty("pictures") != null) {
            for (Path file : tables.keySet()) {
                Files.writeString(file, tables.get(file));
            }
        }

        for (Path file : tables.keySet()) {
            assertThat(file).as("generate it again with -Dpictures").content().isEqualTo(tables.get(file));
        }
    }

    private static String table(List<Bound> bounds) throws IOException, ReflectiveOperationException {
        StringBuilder table = new StringBuilder("[cols=\"5,2,5\"]\n|===\n|What |Bound |Beyond it\n\n");
        for (Bound bound : bounds) {
            table.append("|" + bound.what() + "\n|" + bound.value() + "\n|" + bound.beyond() + "\n\n");
        }
        return table.append("|===\n").toString();
    }
}
