package io.quarkiverse.ratelimit.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Asks for one key after the other, the next one on the thread that brings an answer, and counts the answers. */
final class InFlight {

    private final int keys;
    private final long deadline;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong admitted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger();
    private final CompletableFuture<Tally> finished = new CompletableFuture<>();
    private IntConsumer question;

    InFlight(int keys, long deadline) {
        this.keys = keys;
        this.deadline = deadline;
    }

    /**
     * Asks so many questions at a time until the deadline.
     *
     * @param thread where the first ones are asked
     * @param asking asks for a key, by its number, and tells the answer
     */
    Tally run(int inFlight, Executor thread, IntConsumer asking) throws Exception {
        question = asking;
        running.set(inFlight);
        thread.execute(() -> {
            for (int i = 0; i < inFlight; i++) {
                next();
            }
        });
        return finished.get();
    }

    void answered(CompletionStage<Boolean> answer) {
        answer.whenComplete((admits, why) -> {
            if (why == null) {
                answered(admits);
            } else {
                failed(why);
            }
        });
    }

    void answered(boolean admits) {
        (admits ? admitted : refused).incrementAndGet();
        next();
    }

    void failed(Throwable why) {
        failure.compareAndSet(null, why);
        failed.incrementAndGet();
        next();
    }

    private void next() {
        if (System.nanoTime() - deadline < 0) {
            question.accept((int) (asked.getAndIncrement() % keys));
        } else if (running.decrementAndGet() == 0) {
            finished.complete(new Tally(admitted.get(), refused.get(), failed.get(), failure.get()));
        }
    }
}
