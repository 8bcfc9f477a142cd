package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CompletionException;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.ErrorLog;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.junit.QuarkusTest;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyException;

/** A denied message fails its reply with the status, and is dropped if nobody waits for a reply. */
@QuarkusTest
class EventBusTest extends FreshLimits {

    @Inject
    Vertx vertx;

    @ParameterizedTest
    @ValueSource(strings = { "plain", "uni", "stage", "message", "code", "headers", "headers-uni", "headers-virtual" })
    void deniedMessageFailsItsReply(String address) {
        assertThat(request(address)).asString().startsWith("hello");

        assertThat(request(address)).asInstanceOf(type(ReplyException.class))
                .returns(429, ReplyException::failureCode)
                .extracting(Throwable::getMessage).asString().startsWith("Policy mails is used up. Retry after ");
    }

    @Test
    void consumerWithAPlainResultRunsOnAWorker() {
        assertThat(request("plain")).isEqualTo("hello on a worker");
    }

    @Test
    void otherFailuresStayAsTheyAre() {
        assertThat(request("broken")).isInstanceOf(ReplyException.class).hasFieldOrPropertyWithValue("failureCode", 8191)
                .extracting("message").isEqualTo("broken");
    }

    @Test
    void deniedMessageWithoutReplyIsDropped() {
        List<String> errors = ErrorLog.during(() -> {
            vertx.eventBus().send("dropped", "first");
            vertx.eventBus().publish("dropped-uni", "first of Uni");
            vertx.eventBus().send("dropped-headers", "first of headers");
            await().until(() -> Mailbox.SEEN.size() == 3);

            vertx.eventBus().send("dropped", "second");
            vertx.eventBus().publish("dropped-uni", "second of Uni");
            vertx.eventBus().send("dropped-headers", "second of headers");
            // denied after those before them
            request("dropped");
            request("dropped-uni");
            request("dropped-headers");
        });

        assertThat(Mailbox.SEEN).containsExactlyInAnyOrder("first", "first of Uni", "first of headers");
        assertThat(errors).isEmpty();
    }

    /** The reply, or why there is none. */
    private Object request(String address) {
        try {
            return vertx.eventBus().request(address, "hello").toCompletionStage().toCompletableFuture().join().body();
        } catch (CompletionException e) {
            return e.getCause();
        }
    }
}
