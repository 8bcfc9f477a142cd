package io.quarkiverse.ratelimit.runtime.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Answers a refused request that nothing has begun to serve; a gRPC call by its own statuses. */
final class RouteRefusal {

    private static final String GRPC = "application/grpc";
    private static final String RESOURCE_EXHAUSTED = "8";
    private static final String UNAVAILABLE = "14";

    private RouteRefusal() {
    }

    static void send(RefusalAnswer refusal, RoutingContext routing) {
        HttpServerResponse response = routing.response();
        if (response.ended()) {
            return;
        }
        response.putHeader(HttpHeaderNames.CACHE_CONTROL, RefusalAnswer.CACHING);
        if (refusal.retryAfter() != null) {
            response.putHeader(HttpHeaderNames.RETRY_AFTER, refusal.retryAfter());
        }
        String contentType = routing.request().getHeader(HttpHeaderNames.CONTENT_TYPE);
        if (contentType != null && contentType.startsWith(GRPC) && routing.request().method() == HttpMethod.POST) {
            response.putHeader(HttpHeaderNames.CONTENT_TYPE, contentType)
                    .putHeader("grpc-status", refusal.status() == 429 ? RESOURCE_EXHAUSTED : UNAVAILABLE)
                    .putHeader("grpc-message", refusal.detail())
                    .end();
            return;
        }
        response.setStatusCode(refusal.status())
                .putHeader(HttpHeaderNames.CONTENT_TYPE, RefusalAnswer.CONTENT_TYPE)
                .end(refusal.body());
    }
}
