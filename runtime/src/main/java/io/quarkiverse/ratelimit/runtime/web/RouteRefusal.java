package io.quarkiverse.ratelimit.runtime.web;

import java.util.regex.Pattern;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;

/** Answers a refused request that nothing has begun to serve; a gRPC call by its own statuses. */
final class RouteRefusal {

    private static final String GRPC = "application/grpc";
    private static final Pattern GRPC_CONTENT_TYPE = Pattern.compile("application/grpc(\\s*;.*|\\+.*)?",
            Pattern.CASE_INSENSITIVE);
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
        if (isGrpc(routing.request())) {
            response.putHeader(HttpHeaderNames.CONTENT_TYPE, GRPC)
                    .putHeader("grpc-status", refusal.status() == 429 ? RESOURCE_EXHAUSTED : UNAVAILABLE)
                    .putHeader("grpc-message", refusal.detail())
                    .end();
            return;
        }
        response.setStatusCode(refusal.status())
                .putHeader(HttpHeaderNames.CONTENT_TYPE, RefusalAnswer.CONTENT_TYPE)
                .end(refusal.body());
    }

    /** Any other request is answered 429, whatever its headers say: bans and alerts look for that status. */
    private static boolean isGrpc(HttpServerRequest request) {
        String contentType = request.getHeader(HttpHeaderNames.CONTENT_TYPE);
        return request.version() == HttpVersion.HTTP_2 && request.method() == HttpMethod.POST && contentType != null
                && GRPC_CONTENT_TYPE.matcher(contentType).matches();
    }
}
