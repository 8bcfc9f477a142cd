package io.quarkiverse.ratelimit.it.faults;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Calls every endpoint at a steady pace and stores every response. */
final class Load implements AutoCloseable {

    private static final long PACE_MILLIS = 25;
    /** No more calls are made while this many have no response. */
    private static final int MOST_WITHOUT_RESPONSE = 600;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(threads).build();
    private final Semaphore withoutResponse = new Semaphore(MOST_WITHOUT_RESPONSE);
    private final List<CallResponse> responses = new ArrayList<>();
    private final String address;
    private final String caller;

    Load(URL address, String caller) {
        this.address = address.toString();
        this.caller = caller;
        clock.scheduleAtFixedRate(this::callAll, 0, PACE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Calls until all classes are loaded. */
    static void warmUp(URL address) throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            for (Endpoint endpoint : Endpoint.values()) {
                given().header("Caller", "first").get(address + endpoint.policy());
            }
        }
        try (Load load = new Load(address, "second")) {
            await().atMost(Duration.ofMinutes(1)).until(() -> load.isDecidedByRedis(true, 40));
        }
    }

    private void callAll() {
        for (Endpoint endpoint : Endpoint.values()) {
            if (withoutResponse.tryAcquire()) {
                call(endpoint);
            }
        }
    }

    private void call(Endpoint endpoint) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address + endpoint.policy()))
                .header("Caller", caller).timeout(Duration.ofSeconds(20)).build();
        long started = System.nanoTime();
        http.sendAsync(request, BodyHandlers.ofString()).whenComplete((response, failure) -> {
            add(response(endpoint, started, response));
            withoutResponse.release();
        });
    }

    private static CallResponse response(Endpoint endpoint, long started, HttpResponse<String> response) {
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        return response == null ? new CallResponse(endpoint, started, took, 0, false, null)
                : new CallResponse(endpoint, started, took, response.statusCode(),
                        endpoint.isOfRedis(response.headers().firstValue("RateLimit-Policy").orElse(null)),
                        response.headers().firstValue("Retry-After").orElse(null));
    }

    /** Adds the response to a call that was made elsewhere. */
    synchronized void add(CallResponse response) {
        responses.add(response);
    }

    synchronized List<CallResponse> responses() {
        return List.copyOf(responses);
    }

    /** Whether Redis decided all, or none, of the last calls of each endpoint that is never used up. */
    synchronized boolean isDecidedByRedis(boolean redis, int last) {
        Map<Endpoint, Integer> seen = new EnumMap<>(Endpoint.class);
        for (int i = responses.size() - 1; i >= 0; i--) {
            CallResponse response = responses.get(i);
            if (response.endpoint().isNeverUsedUp() && seen.merge(response.endpoint(), 1, Integer::sum) <= last
                    && response.redis() != redis) {
                return false;
            }
        }
        return Stream.of(Endpoint.values()).filter(Endpoint::isNeverUsedUp)
                .allMatch(endpoint -> seen.getOrDefault(endpoint, 0) >= last);
    }

    /** Whether this many calls of each endpoint were made since then and have a response. */
    synchronized boolean hasResponses(int count, long since) {
        Map<Endpoint, Long> counts = responses.stream().filter(response -> response.started() - since > 0)
                .collect(Collectors.groupingBy(CallResponse::endpoint, Collectors.counting()));
        return Stream.of(Endpoint.values()).allMatch(endpoint -> counts.getOrDefault(endpoint, 0L) >= count);
    }

    /** Stops calling, and waits for all responses. */
    @Override
    public void close() throws InterruptedException {
        clock.shutdownNow();
        clock.awaitTermination(10, TimeUnit.SECONDS);
        if (!withoutResponse.tryAcquire(MOST_WITHOUT_RESPONSE, 30, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    MOST_WITHOUT_RESPONSE - withoutResponse.availablePermits() + " calls never got a response");
        }
        threads.shutdown();
    }
}
