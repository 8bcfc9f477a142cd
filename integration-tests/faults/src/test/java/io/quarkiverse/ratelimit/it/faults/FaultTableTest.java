package io.quarkiverse.ratelimit.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

/** The documentation names every fault that is tested, and no other. With {@code -Dfaults} its table is written anew. */
class FaultTableTest {

    private static final Path TABLE = Path.of("../../docs/modules/ROOT/partials/faults.adoc");

    @Test
    void documentationNamesTheFaultsThatAreTested() throws IOException {
        if (System.getProperty("faults") != null) {
            Files.writeString(TABLE, FaultTable.text());
        }

        assertThat(TABLE).as("write it anew with -Dfaults").content().isEqualTo(FaultTable.text());
    }
}
