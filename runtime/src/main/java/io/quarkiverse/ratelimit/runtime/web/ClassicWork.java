package io.quarkiverse.ratelimit.runtime.web;

import java.util.ArrayList;
import java.util.List;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.RequestScoped;

import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * The work of a request to RESTEasy Classic. It ends with the request scope, also when the client has left. The scope ends
 * before the response does, but after the response to an exception that nothing maps.
 */
@RequestScoped
public class ClassicWork implements Work {

    private final HttpServerResponse response;
    private final List<Runnable> tasks = new ArrayList<>(1);
    private volatile boolean ended;

    ClassicWork(CurrentVertxRequest current) {
        this.response = current.getCurrent().response();
    }

    @Override
    public void onEnd(Runnable task) {
        tasks.add(task);
    }

    @PreDestroy
    void end() {
        ended = true;
        tasks.forEach(Runnable::run);
    }

    @Override
    public boolean endsWithResponse() {
        return ended || response.getStatusCode() >= 400;
    }

    @Override
    public boolean ownsResponse() {
        return true;
    }

    @Override
    public boolean endsWithClient() {
        return ended;
    }
}
