package io.quarkiverse.ratelimit.runtime.entry.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

class StatusRefundsTest {

    private final List<Handler<Void>> headersEndHandlers = new ArrayList<>();

    /** Vert.x locks the connection for both: to read whether the head is written, and to call the handlers before that. */
    @Test
    void decisionDoesNotWaitForAResponseThatBegins() {
        HttpServerResponse response = stub(HttpServerResponse.class, (method, argument) -> {
            if (method.equals("ended")) {
                return false;
            }
            assertThat(method).isEqualTo("headWritten");
            return CompletableFuture.runAsync(() -> headersEndHandlers.forEach(handler -> handler.handle(null)))
                    .orTimeout(5, TimeUnit.SECONDS).thenApply(begun -> false).join();
        });
        RequestProgress progress = new RequestProgress(request(response), Work.UNKNOWN, null);
        assertThat(headersEndHandlers).hasSize(1);

        assertThatCode(() -> progress.refunds.add(Outcome.NOT_LIMITED)).doesNotThrowAnyException();
    }

    @SuppressWarnings("unchecked")
    private RoutingContext request(HttpServerResponse response) {
        return stub(RoutingContext.class, (method, argument) -> switch (method) {
            case "request" -> stub(HttpServerRequest.class, (called, task) -> null);
            case "response" -> response;
            case "vertx" -> stub(Vertx.class, (called, task) -> null);
            case "addBodyEndHandler", "addEndHandler" -> 1;
            case "addHeadersEndHandler" -> headersEndHandlers.add((Handler<Void>) argument) ? 1 : 0;
            default -> null;
        });
    }

    private interface Methods {

        Object call(String method, Object argument);
    }

    private static <T> T stub(Class<T> type, Methods methods) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                (self, method, arguments) -> methods.call(method.getName(), arguments == null ? null : arguments[0])));
    }
}
