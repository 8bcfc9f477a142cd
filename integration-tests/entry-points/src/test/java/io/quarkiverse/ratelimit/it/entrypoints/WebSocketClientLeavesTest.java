package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;

/** What waits for its permits ends with its connection, and is not charged. */
@QuarkusTest
class WebSocketClientLeavesTest extends FreshLimits {

    private static final Duration THREE_PERMITS = Duration.ofHours(1);

    @TestHTTPResource
    URI server;

    @Inject
    @RateLimitPolicy("deliveries")
    RateLimiter deliveries;

    private final String sender = UUID.randomUUID().toString();

    @ParameterizedTest
    @ValueSource(strings = { "serial", "concurrent" })
    void messagesThatWaitWhenTheirClientClosesAreNotHandledNorCharged(String mode) {
        assertWaitingMessagesEnd(mode, Client::close);
    }

    @ParameterizedTest
    @ValueSource(strings = { "serial", "concurrent" })
    void messagesThatWaitWhenTheirConnectionBreaksAreNotHandledNorCharged(String mode) {
        assertWaitingMessagesEnd(mode, Client::abort);
    }

    private void assertWaitingMessagesEnd(String mode, Consumer<Client> leave) {
        Client client = connected(mode);
        send(client, 8);
        await().until(() -> Deliveries.HANDLED.getOrDefault(sender, 0) == 3);
        await("a message waits").until(() -> charged().compareTo(THREE_PERMITS) > 0);

        leave.accept(client);

        await("nothing waits").until(() -> charged().compareTo(THREE_PERMITS) <= 0);
        await().during(Duration.ofSeconds(1)).until(() -> charged().compareTo(THREE_PERMITS) <= 0);
        assertThat(charged()).isGreaterThan(Duration.ofMinutes(50));
        assertThat(Deliveries.HANDLED).containsEntry(sender, 3);
    }

    @ParameterizedTest
    @ValueSource(strings = { "serial", "concurrent" })
    void messagesThatNeedNotWaitAreHandledAlthoughTheirClientHasLeft(String mode) {
        try (Client client = connected(mode)) {
            send(client, 3);
        }

        await().until(() -> Deliveries.HANDLED.getOrDefault(sender, 0) == 3);
    }

    private Client connected(String mode) {
        return new Client(server, "/deliveries/" + mode + "/" + sender);
    }

    private static void send(Client client, int messages) {
        Stream.iterate(1, next -> next + 1).limit(messages).forEach(number -> client.send("message " + number));
    }

    /** Returns the time in which all charged permits come back. */
    private Duration charged() {
        return deliveries.forKey(sender).peek().resetAfter();
    }
}
