package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpResponse;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;

/** Each message is a call. */
@QuarkusTest
class WebSocketsTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @Test
    void deniedMessageGoesToTheErrorHandlerAndOthersGoOn() throws InterruptedException {
        try (Client a = chat("a"); Client b = chat("b")) {
            assertThat(a.receive()).isEqualTo("welcome");
            assertThat(b.receive()).isEqualTo("welcome");
            for (String text : new String[] { "one", "two" }) {
                assertThat(a.sendAndReceive(text)).isEqualTo(text);
                assertThat(b.receive()).as("broadcast").isEqualTo(text);
            }

            assertThat(a.sendAndReceive("three")).startsWith("wait ");
            assertThat(b.sendAndReceive("four")).isEqualTo("four");
            assertThat(a.receive()).as("broadcast").isEqualTo("four");
        }
    }

    @Test
    void propertyOfAMessageBelongsToTheKeyOfItsPolicyOnly() throws InterruptedException {
        String terms = "{\"reader\":\"%s\",\"text\":\"Emma\"}";
        try (Client client = new Client(server, "/search")) {
            assertThat(client.sendAndReceive(terms.formatted("alice"))).isEqualTo("found");
            assertThat(client.sendAndReceive(terms.formatted("bob"))).isEqualTo("found");

            assertThat(client.sendAndReceive(terms.formatted("carol"))).isEqualTo("calls");
        }
    }

    @Test
    void messagesOfOneCallerCountTogetherOverAllConnections() throws InterruptedException {
        try (Client first = chat("a"); Client second = chat("a")) {
            first.receive();
            second.receive();
            first.sendAndReceive("one");
            second.receive();
            second.sendAndReceive("two");
            first.receive();

            assertThat(first.sendAndReceive("three")).startsWith("wait ");
            assertThat(second.sendAndReceive("four")).startsWith("wait ");
        }
    }

    @Test
    void pathHeaderAndQueryOfTheHandshakeAreKeys() throws InterruptedException {
        useUp("/chat/den?tab=1", "X-Client", "a");

        assertAllowed("/chat/attic?tab=1", "X-Client", "a");
        assertAllowed("/chat/den?tab=2", "X-Client", "a");
        assertAllowed("/chat/den?tab=1", "X-Client", "b");
    }

    private void useUp(String path, String... headers) throws InterruptedException {
        try (Client client = new Client(server, path, headers)) {
            client.receive();
            client.sendAndReceive("one");
            client.sendAndReceive("two");
            assertThat(client.sendAndReceive("three")).startsWith("wait ");
        }
    }

    private void assertAllowed(String path, String... headers) throws InterruptedException {
        try (Client client = new Client(server, path, headers)) {
            client.receive();
            assertThat(client.sendAndReceive("one")).isEqualTo("one");
        }
    }

    @Test
    void annotationOnTheClassDoesNotLimitOpenErrorAndClose() throws InterruptedException {
        int closed = Closed.COUNT.get();
        useUp("/chat/den?tab=1", "X-Client", "a");
        try (Client again = new Client(server, "/chat/den?tab=1", "X-Client", "a")) {
            assertThat(again.receive()).isEqualTo("welcome");
        }

        await().until(() -> Closed.COUNT.get() == closed + 2);
    }

    @Test
    void pongsAreNotMessages() throws InterruptedException {
        int pongs = Chat.PONGS.get();
        try (Client client = chat("a")) {
            client.receive();
            for (int pong = 1; pong <= 3; pong++) {
                client.pong();
            }
            await().until(() -> Chat.PONGS.get() == pongs + 3);

            assertThat(client.sendAndReceive("one")).isEqualTo("one");
            assertThat(client.sendAndReceive("two")).isEqualTo("two");
            assertThat(client.sendAndReceive("three")).startsWith("wait ");
        }
    }

    @Test
    void usersAreCountedByTheirNameOverAllConnections() throws InterruptedException {
        try (Client alice = new Client(server, "/user-chat", Client.as("alice"));
                Client again = new Client(server, "/user-chat", Client.as("alice"));
                Client bob = new Client(server, "/user-chat", Client.as("bob"))) {
            assertThat(alice.sendAndReceive("one")).isEqualTo("one");
            assertThat(again.sendAndReceive("two")).isEqualTo("two");

            assertThat(alice.sendAndReceive("three")).isEqualTo("denied");
            assertThat(bob.sendAndReceive("four")).isEqualTo("four");
        }
    }

    @Test
    void connectionIsAKeyAndClosesWithoutAnErrorHandler() throws InterruptedException {
        try (Client first = echo(); Client second = echo()) {
            assertThat(first.sendAndReceive("one")).isEqualTo("one");
            assertThat(first.sendAndReceive("two")).isEqualTo("two");
            first.send("three");

            assertThat(first.closeStatus()).isEqualTo(1011);
            assertThat(second.sendAndReceive("four")).isEqualTo("four");
        }
    }

    @Test
    void routeLimitsOpenConnections() throws InterruptedException {
        try (Client first = echo()) {
            try (Client second = echo()) {
                assertThat(second.sendAndReceive("one")).isEqualTo("one");

                // for longer than the lease, which is renewed
                await().during(Duration.ofSeconds(2)).atMost(Duration.ofSeconds(10)).until(() -> isHandshakeDenied("/echo"));
            }
            await().ignoreExceptionsInstanceOf(CompletionException.class).untilAsserted(() -> echo().close());
            assertThat(first.sendAndReceive("two")).isEqualTo("two");
        }
    }

    @Test
    void checkOfTheApplicationDeniesTheHandshakeAndAnnotationTheOpening() throws InterruptedException {
        try (Client first = new Client(server, "/lobby"); Client second = new Client(server, "/lobby")) {
            assertThat(first.receive()).isEqualTo("open");
            assertThat(second.closeStatus()).isEqualTo(1011);
        }

        assertThat(isHandshakeDenied("/lobby")).isTrue();
    }

    private boolean isHandshakeDenied(String path) {
        try (Client allowed = new Client(server, path)) {
            return false;
        } catch (CompletionException failed) {
            HttpResponse<?> denial = ((WebSocketHandshakeException) failed.getCause()).getResponse();
            return denial.statusCode() == 429 && denial.headers().firstValue("Retry-After").isPresent();
        }
    }

    private Client echo() {
        return new Client(server, "/echo");
    }

    private Client chat(String name) {
        return new Client(server, "/chat/den", "X-Client", name);
    }
}
