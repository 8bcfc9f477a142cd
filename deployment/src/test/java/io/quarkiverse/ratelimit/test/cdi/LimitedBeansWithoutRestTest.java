package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.cdi.fixtures.OwnApplication;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.vertx.web.Route;
import io.smallrye.mutiny.Uni;

/** In an application that serves HTTP without Quarkus REST a bean counts by the caller of the request. */
class LimitedBeansWithoutRestTest {

    private static String output;

    @BeforeAll
    static void run() throws Exception {
        output = OwnApplication.run(OwnApplication.build("without-rest", List.of("quarkus-reactive-routes"), Map.of(
                "quarkus.redis.hosts", "redis://localhost:1",
                "quarkus.http.port", "0",
                "quarkus.rate-limit.policies.one.period", "1h"),
                Main.class, Service.class, Routes.class),
                List.of(
                        "-Dquarkus.rate-limit.policies.one.permits=1",
                        "-Dquarkus.rate-limit.policies.one.key=header:X-Client",
                        "-Dquarkus.rate-limit.policies.path.permits=1",
                        "-Dquarkus.rate-limit.policies.path.period=1h",
                        "-Dquarkus.rate-limit.policies.path.key=header:X-Client",
                        "-Dquarkus.rate-limit.routes.calls.paths=/path",
                        "-Dquarkus.rate-limit.routes.calls.policy=path"));
    }

    @Test
    void callersAreDistinguishedByTheirHeaders() {
        assertThat(output.lines()).contains("call 1 a 200", "call 2 a 429", "call 1 b 200", "call 2 b 429");
    }

    @Test
    void pathsAreLimited() {
        assertThat(output.lines()).contains("path 1 a 200", "path 2 a 429", "path 1 b 200", "path 2 b 429");
    }

    @ApplicationScoped
    public static class Service {
        @RateLimited("one")
        public Uni<String> call() {
            return Uni.createFrom().item("called");
        }
    }

    @ApplicationScoped
    public static class Routes {

        @Inject
        Service service;

        @Route(path = "/call")
        Uni<String> call() {
            return service.call();
        }

        @Route(path = "/path")
        Uni<String> path() {
            return Uni.createFrom().item("not limited by itself");
        }
    }

    @QuarkusMain
    public static class Main implements QuarkusApplication {

        @Override
        public int run(String... args) throws Exception {
            int port = ConfigProvider.getConfig().getValue("quarkus.http.port", Integer.class);
            HttpClient http = HttpClient.newHttpClient();
            for (String path : List.of("call", "path")) {
                for (String client : List.of("a", "b")) {
                    for (int call = 1; call <= 2; call++) {
                        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/" + path))
                                .header("X-Client", client).build();
                        int status = http.send(request, BodyHandlers.ofString()).statusCode();
                        System.out.println(path + " " + call + " " + client + " " + status);
                    }
                }
            }
            return 0;
        }
    }
}
