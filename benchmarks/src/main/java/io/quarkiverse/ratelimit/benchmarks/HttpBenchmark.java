package io.quarkiverse.ratelimit.benchmarks;

import java.io.File;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import redis.embedded.RedisServer;

/**
 * Measures requests per second to a limited endpoint against the same endpoint without limit, both on the event loop
 * of one packaged application, with 64 in flight from 10 000 callers.
 */
public final class HttpBenchmark {

    private static final int IN_FLIGHT = 64;
    private static final int CALLERS = 10_000;
    private static final int ROUNDS = 9;
    private static final int MILLIS = 2_000;

    private HttpBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        int redisPort = freePort();
        int port = freePort();
        RedisServer server = RedisServer.newRedisServer().port(redisPort).bind("127.0.0.1").setting("save \"\"").build();
        server.start();
        Process application = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"),
                "-Dquarkus.http.port=" + port, "-Dquarkus.redis.hosts=redis://127.0.0.1:" + redisPort,
                "-jar", Path.of("target", "quarkus-app", "quarkus-run.jar").toString())
                .redirectErrorStream(true).redirectOutput(new File("target", "application.log")).start();
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        try {
            HttpClient client = vertx.createHttpClient(new HttpClientOptions().setDefaultHost("127.0.0.1")
                    .setDefaultPort(port).setMaxPoolSize(IN_FLIGHT));
            awaitStart(client, application);
            new Rounds(ROUNDS, MILLIS)
                    .add("unlimited", deadline -> requests(vertx, client, "/unlimited", 200, deadline))
                    .add("limited, admitted", deadline -> requests(vertx, client, "/limited", 200, deadline))
                    .add("limited, refused", deadline -> requests(vertx, client, "/refused", 429, deadline))
                    .print(IN_FLIGHT + " in flight");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
            application.destroy();
            application.waitFor();
            server.stop();
        }
    }

    private static long requests(Vertx vertx, HttpClient client, String path, int expected, long deadline)
            throws Exception {
        return new StoreBenchmark.Loop(vertx, IN_FLIGHT, deadline) {
            @Override
            void ask(int n) {
                client.request(HttpMethod.GET, path)
                        .compose(request -> request.putHeader("X-Caller", "caller-" + n % CALLERS).send())
                        .compose(response -> response.body().map(body -> check(response)))
                        .onSuccess(checked -> done()).onFailure(this::failed);
            }

            private int check(HttpClientResponse response) {
                int status = response.statusCode();
                if (status != expected && !(expected == 429 && status == 200)) {
                    throw new IllegalStateException(path + " answered " + status);
                }
                return status;
            }
        }.run();
    }

    private static void awaitStart(HttpClient client, Process application) throws Exception {
        for (int attempt = 0; attempt < 200 && application.isAlive(); attempt++) {
            try {
                client.request(HttpMethod.GET, "/unlimited").compose(request -> request.send()).toCompletionStage()
                        .toCompletableFuture().get();
                return;
            } catch (ExecutionException notYet) {
                Thread.sleep(100);
            }
        }
        throw new IllegalStateException("The application did not start, see target/application.log");
    }

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }
}
