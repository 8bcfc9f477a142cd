package io.quarkiverse.ratelimit.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Calls for one key after the other, the next one on the thread that delivers a decision, and counts decisions. */
final class InFlight {

    private final int keys;
    private final long deadline;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong allowed = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger running = new AtomicInteger();
    private final CompletableFuture<Tally> finished = new CompletableFuture<>();
    private final ThreadLocal<int[]> dueOnThisThread = ThreadLocal.withInitial(() -> new int[1]);
    private IntConsumer call;

    InFlight(int keys, long deadline) {
        this.keys = keys;
        this.deadline = deadline;
    }

    /**
     * Keeps this many calls in flight until the deadline.
     *
     * @param thread makes the first calls
     * @param call calls for a key, by its number, and reports the decision
     */
    Tally run(int inFlight, Executor thread, IntConsumer call) throws Exception {
        this.call = call;
        running.set(inFlight);
        thread.execute(() -> {
            for (int i = 0; i < inFlight; i++) {
                next();
            }
        });
        return finished.get();
    }

    void decided(CompletionStage<Boolean> decision) {
        decision.whenComplete((allowed, cause) -> {
            if (cause == null) {
                decided(allowed);
            } else {
                failed(cause);
            }
        });
    }

    void decided(boolean allowed) {
        (allowed ? this.allowed : denied).incrementAndGet();
        next();
    }

    void failed(Throwable cause) {
        failure.compareAndSet(null, cause);
        failed.incrementAndGet();
        next();
    }

    /** A decision that the same thread delivers within its call is counted here, as calls within calls have no end. */
    private void next() {
        int[] due = dueOnThisThread.get();
        if (due[0]++ == 0) {
            do {
                callNext();
            } while (--due[0] > 0);
        }
    }

    private void callNext() {
        if (System.nanoTime() - deadline < 0) {
            call.accept((int) (calls.getAndIncrement() % keys));
        } else if (running.decrementAndGet() == 0) {
            finished.complete(new Tally(allowed.get(), denied.get(), failed.get(), failure.get()));
        }
    }
}
