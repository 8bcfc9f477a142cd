package io.quarkiverse.ratelimit.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.faults.fixtures.FaultTable;

/** The documentation lists exactly the tested faults. {@code -Dfaults} writes its table. */
class FaultTableTest {

    private static final Path TABLE = Path.of("../../docs/modules/ROOT/partials/faults.adoc");

    @Test
    void documentationListsTheTestedFaults() throws IOException {
        if (System.getProperty("faults") != null) {
            Files.writeString(TABLE, FaultTable.text());
        }

        assertThat(TABLE).as("write it with -Dfaults").content().isEqualTo(FaultTable.text());
    }
}
