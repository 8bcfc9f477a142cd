package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import org.jboss.shrinkwrap.api.importer.ExplodedImporter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.test.nativeimage.ServicesOfTheImage;
import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;

/** A native executable of this application has what the limiter needs for each entry point. */
@Tag("slow")
class NativeSourcesTest extends ServicesOfTheImage {

    @RegisterExtension
    static final QuarkusProdModeTest APP = application("native-entry-points")
            .withApplicationRoot(jar -> jar.as(ExplodedImporter.class).importDirectory("target/classes"));

    @ProdBuildResults
    ProdModeTestResults results;

    @Override
    protected ProdModeTestResults results() {
        return results;
    }

    @Override
    protected Set<String> providers() {
        return Set.of("io.quarkiverse.ratelimit.runtime.entry.client.RetryAfterFilter",
                "io.quarkiverse.ratelimit.runtime.entry.client.ClientCallFilter$BuiltClients",
                "io.quarkiverse.ratelimit.runtime.entry.graphql.GraphQLDenial",
                "io.quarkiverse.ratelimit.runtime.langchain4j.ModelRequests");
    }

    @Test
    void errorsOfEachEntryPointAreBeans() throws IOException {
        try (JarFile runner = new JarFile(runner().toFile())) {
            assertThat(Stream.of("entry/grpc/GrpcDenial", "entry/http/HttpBeans", "entry/http/RouteFilter",
                    "entry/http/WebSocketHandshakes", "entry/mcp/McpDenial", "entry/scheduler/DeniedRunFilter"))
                    .allSatisfy(bean -> assertThat(runner.getEntry("io/quarkiverse/ratelimit/runtime/" + bean + "_Bean.class"))
                            .isNotNull());
        }
    }
}
