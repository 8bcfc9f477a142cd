package io.quarkiverse.ratelimit.it.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.instances.fixtures.Instance;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;
import redis.embedded.RedisServer;

/** An instance that stops releases its permits and responds to all requests. */
@Tag("slow")
class StopIT {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Vertx VERTX = Vertx.vertx();

    private static RedisServer redis;
    private static Redis client;

    @BeforeAll
    static void start() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").setting("save \"\"").build();
        redis.start();
        client = Redis.createClient(VERTX, "redis://127.0.0.1:" + port);
    }

    @AfterAll
    static void stop() throws Exception {
        VERTX.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        redis.stop();
    }

    @Test
    void stoppedInstanceReleasesItsPermitsAtOnce() throws Exception {
        try (Instance instance = Instance.start(redis.ports().get(0),
                "-Dquarkus.rate-limit.policies.ten-at-once.lease-time=1m")) {
            instance.get("/limited/ten-at-once?millis=4000", "runs");
            instance.get("/limited/failures?millis=4000", "runs");
            await().atMost(SOON).until(() -> send(Command.KEYS, "*:ten-at-once:*").contains("header")
                    && send(Command.KEYS, "*:failures:*").contains("header"));

            assertThat(instance.stop(SOON)).as("ends while a call runs").isTrue();

            assertThat(send(Command.KEYS, "*:ten-at-once:*")).doesNotContain("header");
            assertThat(clients()).as("connections, this one besides").isEqualTo(1);
            assertThat(sinceStart(instance)).doesNotContain("ratelimit", "RejectedExecution");
        }
    }

    @Test
    void pendingAndDelayedRequestsGetResponsesWhileRedisHangs() throws Exception {
        String pid = send(Command.INFO, "server").replaceAll("(?s).*process_id:(\\d+).*", "$1");
        try (Instance instance = Instance.start(redis.ports().get(0), "-Dquarkus.rate-limit.timeout=1s",
                "-Dquarkus.shutdown.timeout=20s")) {
            await().atMost(SOON).until(() -> instance.get("/limited/crowd", "any").join().statusCode() == 200);
            CompletableFuture<HttpResponse<String>> first = instance.get("/limited/paced", "any");
            await().atMost(SOON).until(() -> first.isDone());
            CompletableFuture<HttpResponse<String>> delayed = instance.get("/limited/paced", "any");
            CompletableFuture<HttpResponse<String>> delayedLonger = instance.get("/limited/paced", "any");
            await().atMost(SOON).until(() -> delayed.isDone() || delayedLonger.isDone());
            send(Command.CLIENT, "PAUSE", "60000", "WRITE");
            CompletableFuture<HttpResponse<String>> decided = instance.get("/limited/crowd", "any");
            await().atMost(SOON).until(() -> send(Command.CLIENT, "LIST").matches("(?s).*flags=b[^\n]*cmd=evalsha.*"));
            signal("STOP", pid);

            boolean ends = instance.stop(SOON);

            signal("CONT", pid);
            send(Command.CLIENT, "UNPAUSE");
            assertThat(ends).isTrue();
            assertThat(decided.get().statusCode()).isEqualTo(200);
            assertThat(delayed.get().statusCode()).isEqualTo(200);
            assertThat(delayedLonger.get().statusCode()).isEqualTo(200);
            assertThat(sinceStart(instance)).contains("decided by on-redis-failure").doesNotContain(" ERROR ",
                    "RejectedExecution");
            await().atMost(SOON).until(() -> clients() == 1);
        }
    }

    private static String sinceStart(Instance instance) {
        return instance.log().replaceFirst("(?s).*Listening on", "");
    }

    private static long clients() throws Exception {
        return send(Command.CLIENT, "LIST", "TYPE", "normal").lines().count();
    }

    private static void signal(String name, String pid) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
    }

    private static String send(Command command, String... arguments) throws Exception {
        Request request = Request.cmd(command);
        for (String argument : arguments) {
            request.arg(argument);
        }
        return client.send(request).toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS).toString();
    }
}
