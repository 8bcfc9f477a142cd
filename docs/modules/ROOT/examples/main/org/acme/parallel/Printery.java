package org.acme.parallel;

import java.util.concurrent.Semaphore;

import jakarta.inject.Singleton;

/** Prints as long as a test wants. */
@Singleton
public class Printery {

    final Semaphore begun = new Semaphore(0);
    final Semaphore mayEnd = new Semaphore(0);

    String print() {
        begun.release();
        mayEnd.acquireUninterruptibly();
        return "printed";
    }
}
