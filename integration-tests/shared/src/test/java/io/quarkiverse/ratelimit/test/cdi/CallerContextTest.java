package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.vertx.VertxContext;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** After its decision a method runs where its caller was: on the same event loop or on a worker, in the same contexts. */
@QuarkusTest
class CallerContextTest {

    @Inject
    Service service;

    @Inject
    Vertx vertx;

    @Inject
    Visit visit;

    @Test
    void onAnEventLoopTheMethodStaysOnItsContext() {
        Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());

        assertThat(on(context, () -> service.uni().subscribeAsCompletionStage())).isEqualTo(new Endpoint(context, true, false));
        assertThat(on(context, () -> service.multi().toUni().subscribeAsCompletionStage()))
                .isEqualTo(new Endpoint(context, true, false));
        assertThat(on(context, service::stage)).isEqualTo(new Endpoint(context, true, false));
    }

    @Test
    void onAWorkerTheMethodMayBlockAndKeepsItsContext() {
        Context context = VertxContext.createNewDuplicatedContext(vertx.getOrCreateContext());

        assertThat(onWorker(context, () -> service.uni().await().indefinitely()))
                .isEqualTo(new Endpoint(context, false, true));
        assertThat(onWorker(context, () -> service.multi().toUni().await().indefinitely()))
                .isEqualTo(new Endpoint(context, false, true));
        assertThat(onWorker(context, () -> service.stage().toCompletableFuture().join()))
                .isEqualTo(new Endpoint(context, false, true));
    }

    @Test
    void onAThreadOfItsOwnTheMethodMayBlock() {
        assertThat(service.uni().await().indefinitely().mayBlock).isTrue();
        assertThat(service.stage().toCompletableFuture().join().mayBlock).isTrue();
    }

    @Test
    @ActivateRequestContext
    void requestScopeGoesWithTheCall() {
        visit.rename("alice");

        assertThat(service.visitor().await().indefinitely()).isEqualTo("alice");
        assertThat(service.visitorStage().toCompletableFuture().join()).isEqualTo("alice");
        assertThat(service.visitors().toUni().await().indefinitely()).isEqualTo("alice");
    }

    private static Endpoint on(Context context, Supplier<CompletionStage<Endpoint>> call) {
        CompletableFuture<Endpoint> place = new CompletableFuture<>();
        context.runOnContext(ignored -> call.get().whenComplete((found, failure) -> {
            if (failure != null) {
                place.completeExceptionally(failure);
            }
            place.complete(found);
        }));
        return place.orTimeout(5, TimeUnit.SECONDS).join();
    }

    private static Endpoint onWorker(Context context, Supplier<Endpoint> call) {
        return context.executeBlocking(call::get).toCompletionStage().toCompletableFuture().join();
    }

    public record Endpoint(Context context, boolean onEventLoop, boolean mayBlock) {
        static Endpoint here() {
            return new Endpoint(Vertx.currentContext(), Context.isOnEventLoopThread(),
                    BlockingOperationControl.isBlockingAllowed());
        }
    }

    @RequestScoped
    public static class Visit {
        String name;

        void rename(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }
    }

    @ApplicationScoped
    @RateLimited("many")
    public static class Service {

        @Inject
        Visit visit;

        public Uni<Endpoint> uni() {
            return Uni.createFrom().item(Endpoint.here());
        }

        public Multi<Endpoint> multi() {
            return Multi.createFrom().item(Endpoint.here());
        }

        public CompletionStage<Endpoint> stage() {
            return CompletableFuture.completedStage(Endpoint.here());
        }

        public Uni<String> visitor() {
            return Uni.createFrom().item(visit.name());
        }

        public Multi<String> visitors() {
            return Multi.createFrom().item(visit.name());
        }

        public CompletionStage<String> visitorStage() {
            return CompletableFuture.completedStage(visit.name());
        }
    }
}
