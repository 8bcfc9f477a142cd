package io.quarkiverse.ratelimit.benchmarks;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures how often 200 clients call until all have been allowed, and how long the last one waits, with different values of
 * {@code retry-after-jitter}. They share a token bucket of 10 per second that is used up, call at the same moment, and wait for
 * {@code Retry-After}.
 */
public final class HerdBenchmark {

    private static final int CLIENTS = 200;
    private static final int ROUNDS = 3;
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final int[] JITTERS = { 0, 5, 10, 20 };

    private HerdBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
        try (OwnRedis redis = OwnRedis.start(); Application application = Application.start("herd", redis.port())) {
            HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
            for (int round = 1; round <= ROUNDS; round++) {
                for (int jitter : JITTERS) {
                    HttpRequest request = HttpRequest
                            .newBuilder(URI.create("http://127.0.0.1:" + application.port() + "/herd/" + jitter)).build();
                    while (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
                    }
                    new Herd(client, request, timer).run(jitter);
                }
            }
        } finally {
            timer.shutdownNow();
        }
    }

    /** The clients of one run. */
    private record Herd(HttpClient client, HttpRequest request, ScheduledExecutorService timer, AtomicInteger requests,
            AtomicLong lastAllowed, CountDownLatch waiting) {

        Herd(HttpClient client, HttpRequest request, ScheduledExecutorService timer) {
            this(client, request, timer, new AtomicInteger(), new AtomicLong(), new CountDownLatch(CLIENTS));
        }

        void run(int jitter) throws InterruptedException {
            long start = System.nanoTime();
            for (int i = 0; i < CLIENTS; i++) {
                call();
            }
            if (!waiting.await(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(waiting.getCount() + " clients still wait after " + LONGEST);
            }
            System.out.printf("jitter %d s: %.2f requests each, the last one allowed after %.1f s%n", jitter,
                    (double) requests.get() / CLIENTS, (lastAllowed.get() - start) / 1e9);
        }

        private void call() {
            requests.incrementAndGet();
            client.sendAsync(request, BodyHandlers.discarding()).thenAccept(this::obey).exceptionally(failure -> {
                failure.printStackTrace();
                return null;
            });
        }

        private void obey(HttpResponse<Void> response) {
            if (response.statusCode() == 429) {
                timer.schedule(this::call, response.headers().firstValueAsLong("Retry-After").orElseThrow(), TimeUnit.SECONDS);
            } else {
                lastAllowed.accumulateAndGet(System.nanoTime(), Math::max);
                waiting.countDown();
            }
        }
    }
}
