package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.websockets.next.HttpUpgradeCheck;
import io.quarkus.websockets.next.OnOpen;
import io.quarkus.websockets.next.WebSocket;
import io.smallrye.mutiny.Uni;

/** Limits the beginning of connections: in a check of the application, and in the handler. */
@WebSocket(path = "/lobby", endpointId = "lobby")
public class Lobby {

    @OnOpen
    @RateLimited("openings")
    String open() {
        return "open";
    }

    @ApplicationScoped
    public static class Check implements HttpUpgradeCheck {

        private final ReactiveRateLimiter handshakes;

        Check(@RateLimitPolicy("handshakes") ReactiveRateLimiter handshakes) {
            this.handshakes = handshakes;
        }

        @Override
        public boolean appliesTo(String endpointId) {
            return endpointId.equals("lobby");
        }

        @Override
        public Uni<CheckResult> perform(HttpUpgradeContext handshake) {
            return handshakes.acquireOrThrow().chain(() -> CheckResult.permitUpgrade());
        }
    }
}
