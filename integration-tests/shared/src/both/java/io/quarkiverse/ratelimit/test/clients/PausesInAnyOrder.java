package io.quarkiverse.ratelimit.test.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.Vertx;

/**
 * Each 429 with Retry-After pauses its key, whatever earlier calls led to, whatever the methods return, and on whichever
 * threads the calls are made.
 */
public abstract class PausesInAnyOrder {

    @Inject
    protected Service service;

    @Inject
    Vertx vertx;

    @Inject
    @RestClient
    Client injected;

    private ExecutorService one, other;
    private List<Executor> workers, threads;

    /** What calls lead to. */
    enum Answer {
        OK,
        NOT_FOUND,
        FAILURE,
        BROKEN_CONNECTION,
        TOO_MANY_REQUESTS
    }

    /** Returns a call of each method that blocks, by its name. */
    protected Map<String, Consumer<String>> blocking() {
        Map<String, Consumer<String>> calls = new HashMap<>();
        clients(injected, Client.class).forEach((name, client) -> calls.putAll(Map.of(
                name + " text", client::text,
                name + " response", key -> client.response(key).close(),
                name + " nothing", client::nothing)));
        return calls;
    }

    /** Returns a call of each method that does not block, by its name. */
    protected Map<String, Function<String, CompletionStage<?>>> reactive() {
        Map<String, Function<String, CompletionStage<?>>> calls = new HashMap<>();
        clients(injected, Client.class).forEach((name, client) -> calls.putAll(Map.of(
                name + " stage", client::stage,
                name + " stage of a response", key -> client.stageOfResponse(key).thenAccept(Response::close))));
        return calls;
    }

    protected static <T> Map<String, T> clients(T injected, Class<T> type) {
        URI service = URI.create(ConfigProvider.getConfig().getValue("quarkus.rest-client.busy.url", String.class));
        return Map.of("injected", injected, "built", RestClientBuilder.newBuilder().baseUri(service).build(type),
                "built again", RestClientBuilder.newBuilder().baseUri(service).build(type));
    }

    @BeforeEach
    void findThreads() {
        one = Executors.newSingleThreadExecutor();
        other = Executors.newSingleThreadExecutor();
        workers = List.of(Runnable::run, one, other);
        Executor eventLoop = task -> vertx.getOrCreateContext().runOnContext(ignored -> task.run());
        threads = Stream.concat(workers.stream(), Stream.of(eventLoop)).toList();
    }

    @AfterEach
    void endThreads() {
        one.shutdown();
        other.shutdown();
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3 })
    void each429PausesItsKey(long seed) {
        Random random = new Random(seed);
        Map<String, Consumer<String>> blocking = blocking();
        Map<String, Function<String, CompletionStage<?>>> reactive = reactive();
        List<String> methods = Stream.concat(blocking.keySet().stream(), reactive.keySet().stream()).sorted().toList();
        StringBuilder history = new StringBuilder();
        for (int i = 0; i < 80; i++) {
            String method = oneOf(methods, random), key = UUID.randomUUID().toString();
            Answer answer = oneOf(List.of(Answer.values()), random);
            Function<String, CompletionStage<?>> call = blocking.containsKey(method)
                    ? on(oneOf(workers, random), returned(blocking.get(method)))
                    : on(oneOf(threads, random), reactive.get(method));
            history.append(' ').append(method).append(':').append(answer);

            service.answers.put(key, answer);
            failure(call, key);
            service.answers.put(key, Answer.OK);
            int sent = service.calls.getOrDefault(key, 0);
            Throwable failure = failure(call, key);

            if (answer == Answer.TOO_MANY_REQUESTS) {
                assertThat(failure).as("seed %d:%s", seed, history).isInstanceOfSatisfying(RateLimitExceededException.class,
                        denial -> assertThat(denial.decision().denialReason()).contains(DenialReason.PAUSED));
                assertThat(service.calls).containsEntry(key, sent);
            } else {
                assertThat(failure).as("seed %d:%s", seed, history).isNull();
                assertThat(service.calls).containsEntry(key, sent + 1);
            }
        }
    }

    private static <T> T oneOf(List<T> choices, Random random) {
        return choices.get(random.nextInt(choices.size()));
    }

    private static Function<String, CompletionStage<?>> returned(Consumer<String> call) {
        return key -> {
            call.accept(key);
            return CompletableFuture.completedStage(null);
        };
    }

    private static Function<String, CompletionStage<?>> on(Executor thread, Function<String, CompletionStage<?>> call) {
        return key -> CompletableFuture.completedFuture(key)
                .thenComposeAsync(one -> call.apply(one).thenApply(Object.class::cast), thread);
    }

    private static Throwable failure(Function<String, CompletionStage<?>> call, String key) {
        try {
            call.apply(key).toCompletableFuture().join();
            return null;
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    @Path("/busy/{key}")
    @RegisterRestClient(configKey = "busy")
    @RateLimited("obeys")
    public interface Client {

        @GET
        String text(@RateLimitKey @PathParam("key") String key);

        @GET
        Response response(@RateLimitKey @PathParam("key") String key);

        @GET
        void nothing(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<String> stage(@RateLimitKey @PathParam("key") String key);

        @GET
        CompletionStage<Response> stageOfResponse(@RateLimitKey @PathParam("key") String key);
    }

    /** Answers each key as the test says. */
    @Path("/busy/{key}")
    @Singleton
    public static class Service {

        final Map<String, Answer> answers = new ConcurrentHashMap<>();
        final Map<String, Integer> calls = new ConcurrentHashMap<>();

        @Inject
        CurrentVertxRequest request;

        @GET
        public Response get(@PathParam("key") String key) {
            calls.merge(key, 1, Integer::sum);
            Answer answer = answers.get(key);
            if (answer == Answer.BROKEN_CONNECTION) {
                request.getCurrent().request().connection().close().toCompletionStage().toCompletableFuture().join();
            }
            ResponseBuilder response = switch (answer) {
                case OK, BROKEN_CONNECTION -> Response.ok("served");
                case NOT_FOUND -> Response.status(404);
                case FAILURE -> Response.status(500);
                case TOO_MANY_REQUESTS -> Response.status(429).header("Retry-After", "600");
            };
            // so that no call finds a connection that is just being closed after an earlier one
            return response.header("Connection", "close").build();
        }
    }
}
