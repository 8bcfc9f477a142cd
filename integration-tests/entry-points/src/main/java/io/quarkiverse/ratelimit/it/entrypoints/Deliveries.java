package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.websockets.next.InboundProcessingMode;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.PathParam;
import io.quarkus.websockets.next.WebSocket;
import io.smallrye.mutiny.Uni;

/** Messages that wait for their permits, one after the other or all at the same time. */
public class Deliveries {

    /** How many messages of each sender were handled. */
    static final Map<String, Integer> HANDLED = new ConcurrentHashMap<>();

    private Deliveries() {
    }

    @WebSocket(path = "/deliveries/serial/{sender}")
    public static class Serial {

        @OnTextMessage
        @RateLimited("deliveries")
        void deliver(String text, @PathParam("sender") String sender) {
            HANDLED.merge(sender, 1, Integer::sum);
        }
    }

    @WebSocket(path = "/deliveries/concurrent/{sender}", inboundProcessingMode = InboundProcessingMode.CONCURRENT)
    public static class Concurrent {

        @OnTextMessage
        @RateLimited("deliveries")
        Uni<Void> deliver(String text, @PathParam("sender") String sender) {
            HANDLED.merge(sender, 1, Integer::sum);
            return Uni.createFrom().voidItem();
        }
    }
}
