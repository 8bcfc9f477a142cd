package io.quarkiverse.ratelimit.runtime.web;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.IntConsumer;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;

import io.smallrye.mutiny.Uni;

/** Finds the status of the result with which a resource method of Quarkus REST ends. */
@Singleton
public class ResourceWork implements WorkEnd.Current {

    @Override
    public WorkEnd get() {
        ResteasyReactiveRequestContext request = CurrentRequestManager.get();
        return request == null ? WorkEnd.UNKNOWN : endOf(request);
    }

    static WorkEnd endOf(ResteasyReactiveRequestContext request) {
        return status -> request.registerCompletionCallback(failure -> tellStatus(request.getResult(), failure, status));
    }

    private static void tellStatus(Object result, Throwable failure, IntConsumer status) {
        if (result instanceof Response response) {
            status.accept(response.getStatus());
        } else if (result instanceof RestResponse<?> response) {
            status.accept(response.getStatus());
        } else if (failure == null && !isPending(result)) {
            status.accept(result == null ? 204 : 200);
        }
    }

    private static boolean isPending(Object result) {
        return result instanceof Uni || result instanceof CompletionStage || result instanceof Flow.Publisher
                || result instanceof Throwable;
    }
}
