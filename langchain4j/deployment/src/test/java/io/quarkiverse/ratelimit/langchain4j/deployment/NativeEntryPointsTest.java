package io.quarkiverse.ratelimit.langchain4j.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.nativeimage.ServicesOfTheImage;
import io.quarkus.builder.Version;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;

/**
 * A native executable with many entry points, and with a limited AI service whose model is a REST client, has what the limiter
 * needs for each of them. Quarkus LangChain4j 1.5.0 cannot be in an application with WebSockets Next.
 */
class NativeEntryPointsTest extends ServicesOfTheImage {

    @RegisterExtension
    static final QuarkusProdModeTest APP = application("native-entry-points")
            .setForcedDependencies(Stream.concat(
                    Stream.of("quarkus-rest", "quarkus-rest-client", "quarkus-reactive-routes", "quarkus-smallrye-graphql",
                            "quarkus-grpc", "quarkus-scheduler")
                            .map(extension -> dependency("io.quarkus", extension, Version.getVersion())),
                    Stream.of(
                            dependency("io.quarkiverse.langchain4j", "quarkus-langchain4j-openai",
                                    System.getProperty("quarkus-langchain4j.version")),
                            dependency("io.quarkiverse.mcp", "quarkus-mcp-server-http",
                                    System.getProperty("quarkus-mcp-server.version"))))
                    .toList())
            .withApplicationRoot(jar -> jar.addClasses(Questions.class, Assistant.class));

    private static Dependency dependency(String group, String extension, String version) {
        return Dependency.of(group, extension + "-deployment", version);
    }

    @ProdBuildResults
    ProdModeTestResults results;

    @Override
    protected ProdModeTestResults results() {
        return results;
    }

    @Override
    protected Set<String> providers() {
        return Set.of("io.quarkiverse.ratelimit.runtime.entry.client.RetryAfterFilter",
                "io.quarkiverse.ratelimit.runtime.entry.graphql.GraphQLDenial",
                "io.quarkiverse.ratelimit.runtime.langchain4j.ModelRequests");
    }

    @Test
    void errorsOfEachEntryPointAreBeans() throws IOException {
        try (JarFile runner = new JarFile(runner().toFile())) {
            assertThat(Stream.of("entry/grpc/GrpcDenial", "entry/http/RouteFilter",
                    "entry/mcp/McpDenial", "entry/scheduler/DeniedRunFilter"))
                    .allSatisfy(bean -> assertThat(runner.getEntry("io/quarkiverse/ratelimit/runtime/" + bean + "_Bean.class"))
                            .isNotNull());
        }
    }

    @RegisterAiService
    @RateLimited("llm")
    public interface Assistant {

        String answer(String question);
    }

    @Path("/questions")
    public static class Questions {

        @Inject
        Assistant assistant;

        @GET
        public String answer() {
            return assistant.answer("Why?");
        }
    }
}
