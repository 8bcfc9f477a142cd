package io.quarkiverse.ratelimit.runtime.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * A service with a quota of calls for each window of time. The first call beyond it begins a pause until the window ends. A
 * call later than a second after that adds a window to the pause.
 */
final class QuotaProvider implements AutoCloseable {

    private static final long TOLERANCE = Duration.ofSeconds(1).toNanos();

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int quota;
    private final long window;
    private final List<Integer> usedByWindow = new ArrayList<>();
    private long began, pauseBegan, pausedUntil;
    private int late;

    QuotaProvider(int quota, Duration window) {
        this.quota = quota;
        this.window = window.toNanos();
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 256);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::serve);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    private void serve(HttpExchange exchange) throws IOException {
        long pause = pause(System.nanoTime());
        if (pause > 0) {
            exchange.getResponseHeaders().set("Retry-After", String.valueOf((pause + 999_999_999) / 1_000_000_000));
        }
        exchange.sendResponseHeaders(pause > 0 ? 429 : 204, -1);
        exchange.close();
    }

    /** Counts a call, and returns for how long the caller must pause; 0 if the call is within the quota. */
    private synchronized long pause(long now) {
        began = began == 0 ? now : began;
        int current = (int) ((now - began) / window);
        while (usedByWindow.size() <= current) {
            usedByWindow.add(0);
        }
        if (now < pausedUntil) {
            if (now - pauseBegan > TOLERANCE) {
                late++;
                pausedUntil += window;
            }
            return pausedUntil - now;
        }
        if (usedByWindow.get(current) == quota) {
            pauseBegan = now;
            pausedUntil = began + (current + 1) * window;
            return pausedUntil - now;
        }
        usedByWindow.set(current, usedByWindow.get(current) + 1);
        return 0;
    }

    /** The calls within the quota, by window. */
    synchronized List<Integer> used() {
        return List.copyOf(usedByWindow);
    }

    /** The calls during a pause, but not in its first second. */
    synchronized int late() {
        return late;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
