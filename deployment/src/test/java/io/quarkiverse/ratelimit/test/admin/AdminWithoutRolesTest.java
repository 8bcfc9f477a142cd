package io.quarkiverse.ratelimit.test.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/** Nobody has named the roles that may administer limits. */
class AdminWithoutRolesTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Administered.class))
            .withConfiguration(Administered.POLICIES + "quarkus.rate-limit.replicas=none\n")
            .assertException(failure -> assertThat(failure).hasMessageContaining("2 mistakes to correct")
                    .hasMessageContaining("quarkus.rate-limit.replicas=none")
                    .hasMessageContaining("- quarkus.rate-limit.admin.roles-allowed is missing."
                            + " quarkus.rate-limit.admin.enabled=true would let everybody change limits. Name the roles that may,"
                            + " or serve administration on the management interface: quarkus.management.enabled=true."));

    @Test
    void startFails() {
        fail("The application must not start");
    }
}
