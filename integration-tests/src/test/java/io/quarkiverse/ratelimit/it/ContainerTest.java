package io.quarkiverse.ratelimit.it;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import io.quarkus.test.junit.QuarkusTest;

/** With a container runtime, Redis starts in a container. */
@QuarkusTest
@EnabledIf(value = "containersCanRun", disabledReason = "no container runtime is available")
class ContainerTest {

    static boolean containersCanRun() throws InterruptedException {
        try {
            return new ProcessBuilder("docker", "info").redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }

    @Test
    void limitsAreCountedInTheContainer() throws IOException {
        int port = ConfigProvider.getConfig().getValue("quarkus.redis.hosts", URI.class).getPort();

        given().header("Caller", "container").get("/limited/five-for-each").then().statusCode(200);

        Process running = new ProcessBuilder("docker", "ps", "--format", "{{.Ports}}").start();
        assertThat(new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains(":" + port + "->6379/tcp");
    }
}
