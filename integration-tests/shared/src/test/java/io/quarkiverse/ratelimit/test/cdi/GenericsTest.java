package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;
import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/** Methods whose compiled form differs from what is written are limited once: with generic or narrowed types. */
@QuarkusTest
class GenericsTest {

    @Inject
    Quotes quotes;

    @Inject
    Visible visible;

    @Inject
    Vertx vertx;

    @Test
    void implementedWithItsTypeAMethodIsAsynchronous() {
        Uni<String> quote = quotes.implemented();
        quotes.implemented();

        assertAllows(2, () -> quote.await().indefinitely());
    }

    @Test
    void inheritedMethodWithATypeParameterCountsAsPlainValue() {
        CompletableFuture<Uni<String>> onEventLoop = new CompletableFuture<>();
        vertx.runOnContext(ignored -> onEventLoop.completeAsync(quotes::inherited, Runnable::run));

        assertThat(onEventLoop).failsWithin(Duration.ofSeconds(5)).withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class);
        assertAllows(2, quotes::inherited);
    }

    @Test
    void methodOfAHiddenSuperclassIsLimited() {
        assertAllows(2, visible::inherited);
    }

    @Test
    void narrowedReturnTypeIsLimited() {
        assertAllows(2, visible::narrowed);
        assertAllows(0, () -> ((Hidden) visible).narrowed());
    }

    @Test
    void endpointOfAGenericInterfaceIsLimited() {
        for (int status : new int[] { 200, 200, 429 }) {
            when().get("/generic/a").then().statusCode(status);
        }
    }

    public abstract static class Base<T> {
        @RateLimited("two")
        public abstract T implemented();

        @RateLimited("two")
        public T inherited() {
            return null;
        }
    }

    @ApplicationScoped
    public static class Quotes extends Base<Uni<String>> {
        @Override
        public Uni<String> implemented() {
            return Uni.createFrom().item("quote");
        }
    }

    abstract static class Hidden {
        @RateLimited("two")
        public void inherited() {
        }

        @RateLimited("two")
        public Object narrowed() {
            return null;
        }
    }

    @ApplicationScoped
    public static class Visible extends Hidden {
        @Override
        public String narrowed() {
            return null;
        }
    }

    public interface Endpoint<T> {
        @GET
        @Path("{id}")
        @RateLimited("two")
        String get(@PathParam("id") T id);
    }

    @Path("/generic")
    public static class Resource implements Endpoint<String> {
        @Override
        public String get(String id) {
            return id;
        }
    }
}
