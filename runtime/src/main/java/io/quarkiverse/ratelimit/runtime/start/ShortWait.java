package io.quarkiverse.ratelimit.runtime.start;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jboss.logging.Logger;

/** Waits for Redis at the start and at the end, but not for long. */
final class ShortWait {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final Duration LONGEST = Duration.ofSeconds(1);

    private ShortWait() {
    }

    /** Never fails, as a failed startup would leave the connections open. */
    static void until(CompletionStage<Void> done) {
        try {
            done.toCompletableFuture().get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException notYet) {
            LOG.debug("Redis is not connected yet");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
