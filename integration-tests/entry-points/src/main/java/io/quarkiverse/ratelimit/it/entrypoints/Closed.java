package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts the connections whose {@code @OnClose} ran. */
final class Closed {

    static final AtomicInteger COUNT = new AtomicInteger();

    private Closed() {
    }
}
