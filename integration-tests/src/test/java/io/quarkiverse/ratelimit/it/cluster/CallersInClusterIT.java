package io.quarkiverse.ratelimit.it.cluster;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.quarkus.test.junit.QuarkusIntegrationTest;

/** The same tests with a native executable, which creates a client of each master. */
@Tag("slow")
@QuarkusIntegrationTest
@EnabledIfSystemProperty(named = "native", matches = ".*")
class CallersInClusterIT extends CallersInClusterTest {
}
