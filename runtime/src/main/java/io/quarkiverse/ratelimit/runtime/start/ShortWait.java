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

    /**
     * Never fails, as a failed startup would leave the connections open.
     *
     * @param otherwise the message to log when it is not done
     */
    static void until(CompletionStage<Void> done, String otherwise) {
        try {
            done.toCompletableFuture().get(LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException notYet) {
            LOG.debugf("%s: %s", otherwise, notYet);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
