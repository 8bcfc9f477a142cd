package org.acme.outgoing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** Replies to every request with the number of requests so far. The first request for payments comes too early. */
public class Bank implements QuarkusTestResourceLifecycleManager {

    private HttpServer server;
    private int requests;
    private boolean paid;

    @Override
    public Map<String, String> start() {
        try {
            server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/rates", exchange -> {
            byte[] answer = ("request " + ++requests).getBytes();
            exchange.getResponseHeaders().add("Content-Type", "text/plain");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.createContext("/payments", exchange -> {
            boolean tooEarly = !paid;
            paid = true;
            exchange.getResponseHeaders().add("Retry-After", "1");
            exchange.sendResponseHeaders(tooEarly ? 429 : 204, -1);
            exchange.close();
        });
        server.createContext("/ledger", exchange -> {
            exchange.getResponseHeaders().add("Retry-After", "300");
            exchange.sendResponseHeaders(429, -1);
            exchange.close();
        });
        server.createContext("/models", exchange -> {
            exchange.getResponseHeaders().add("retry-after-ms", "600000");
            exchange.sendResponseHeaders(429, -1);
            exchange.close();
        });
        server.start();
        return Map.of("quarkus.rest-client.bank.url", "http://localhost:" + server.getAddress().getPort());
    }

    @Override
    public void stop() {
        server.stop(0);
    }
}
