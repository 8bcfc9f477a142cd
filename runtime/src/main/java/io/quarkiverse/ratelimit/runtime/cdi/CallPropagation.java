package io.quarkiverse.ratelimit.runtime.cdi;

import java.util.Map;

import org.eclipse.microprofile.context.spi.ThreadContextSnapshot;

import io.smallrye.context.FastThreadContextProvider;

/** Passes the running call to continuations on other threads, so that calls within it are recognized there. */
public final class CallPropagation implements FastThreadContextProvider {

    @Override
    public ThreadLocal<?> threadLocal(Map<String, String> properties) {
        return RunningCall.CURRENT;
    }

    @Override
    public ThreadContextSnapshot currentContext(Map<String, String> properties) {
        return of(RunningCall.CURRENT.get());
    }

    @Override
    public ThreadContextSnapshot clearedContext(Map<String, String> properties) {
        return of(null);
    }

    private static ThreadContextSnapshot of(RunningCall call) {
        return () -> {
            RunningCall outer = RunningCall.CURRENT.get();
            RunningCall.CURRENT.set(call);
            return () -> RunningCall.CURRENT.set(outer);
        };
    }

    @Override
    public String getThreadContextType() {
        return "io.quarkiverse.ratelimit.call";
    }
}
