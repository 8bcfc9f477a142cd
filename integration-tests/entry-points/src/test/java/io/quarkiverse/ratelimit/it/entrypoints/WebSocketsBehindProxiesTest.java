package io.quarkiverse.ratelimit.it.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.it.entrypoints.fixtures.Client;
import io.quarkiverse.ratelimit.it.entrypoints.fixtures.FreshLimits;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;

/** Messages count for the address that the first of two proxies has added to the handshake. */
@QuarkusTest
@TestProfile(WebSocketsBehindProxiesTest.TwoProxies.class)
class WebSocketsBehindProxiesTest extends FreshLimits {

    @TestHTTPResource
    URI server;

    @Test
    void messagesCountForTheCallerBehindTheProxies() throws InterruptedException {
        try (Client first = chat("1.1.1.1, 203.0.113.7, 198.51.100.1");
                Client second = chat("1.1.1.2, 203.0.113.7, 198.51.100.2");
                Client other = chat("1.1.1.1, 203.0.113.8, 198.51.100.1")) {
            first.sendAndReceive("one");
            first.sendAndReceive("two");

            assertThat(first.sendAndReceive("three")).isEqualTo("denied");
            assertThat(second.sendAndReceive("four")).isEqualTo("denied");
            assertThat(other.sendAndReceive("five")).isEqualTo("five");
        }
    }

    @Test
    void limiterForTheCallerFindsTheSameAddress() throws InterruptedException {
        try (Client caller = new Client(server, "/own-worker/den", "X-Forwarded-For", "1.1.1.1, 203.0.113.7, 198.51.100.1")) {
            assertThat(caller.sendAndReceive("own-address")).isEqualTo("10 ip=203.0.113.7");
        }
    }

    private Client chat(String forwardedFor) {
        return new Client(server, "/user-chat", "X-Forwarded-For", forwardedFor, "Authorization", Client.as("alice")[1]);
    }

    public static final class TwoProxies implements QuarkusTestProfile {
        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("quarkus.rate-limit.proxy-hops", "2", "quarkus.rate-limit.policies.calls-by-user.key", "method,ip");
        }
    }
}
