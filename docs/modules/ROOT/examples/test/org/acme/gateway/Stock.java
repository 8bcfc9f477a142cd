package org.acme.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpServer;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/**
 * A service behind the gateway: replies with the path and the body of the request, counts requests, and has a rate limit of
 * its own.
 */
public class Stock implements QuarkusTestResourceLifecycleManager {

    static final AtomicInteger REQUESTS = new AtomicInteger();

    private HttpServer server;

    @Override
    public Map<String, String> start() {
        try {
            server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            REQUESTS.incrementAndGet();
            String body = new String(exchange.getRequestBody().readAllBytes());
            byte[] reply = (exchange.getRequestURI() + " " + body).getBytes();
            exchange.getResponseHeaders().set("RateLimit", "\"service\";r=77");
            exchange.getResponseHeaders().set("x-ratelimit-remaining", "77");
            exchange.sendResponseHeaders(200, reply.length);
            exchange.getResponseBody().write(reply);
            exchange.close();
        });
        server.start();
        return Map.of("gateway.services.stock", "http://localhost:" + server.getAddress().getPort());
    }

    @Override
    public void stop() {
        server.stop(0);
    }
}
