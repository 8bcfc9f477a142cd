package io.quarkiverse.ratelimit.runtime.entry.client;

import org.eclipse.microprofile.context.spi.ThreadContextController;
import org.eclipse.microprofile.context.spi.ThreadContextSnapshot;
import org.jboss.resteasy.spi.concurrent.ThreadContext;

import io.quarkiverse.ratelimit.runtime.engine.RunningCall;

/**
 * Passes the limited call of a thread to the thread on which a client of RESTEasy Classic sends the request of a
 * {@code CompletionStage}. RESTEasy keeps what is registered with a client only on the thread that creates the client, but it
 * finds this service on each thread.
 */
public final class ClassicClientContext implements ThreadContext<ClassicClientContext.Scope> {

    @Override
    public Scope capture() {
        return new Scope(RunningCall.snapshot());
    }

    @Override
    public void push(Scope scope) {
        scope.running = scope.caller.begin();
    }

    @Override
    public void reset(Scope scope) {
        scope.running.endContext();
    }

    static final class Scope {

        private final ThreadContextSnapshot caller;
        private ThreadContextController running;

        Scope(ThreadContextSnapshot caller) {
            this.caller = caller;
        }
    }
}
