package io.quarkiverse.ratelimit.runtime.web;

import java.util.regex.Pattern;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;

/** Writes the response to a denied request of any kind; a gRPC call gets a gRPC status. */
final class RouteDenial {

    private static final String GRPC = "application/grpc";
    private static final Pattern GRPC_CONTENT_TYPE = Pattern.compile("application/grpc(\\s*;.*|\\+.*)?",
            Pattern.CASE_INSENSITIVE);

    private RouteDenial() {
    }

    static void send(DenialResponse denial, RoutingContext routing) {
        HttpServerResponse response = routing.response();
        if (response.ended()) {
            return;
        }
        response.putHeader(HttpHeaders.CACHE_CONTROL, DenialResponse.CACHING);
        if (denial.retryAfter() != null) {
            response.putHeader(HttpHeaders.RETRY_AFTER, denial.retryAfter());
        }
        if (isGrpc(routing.request())) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, GRPC)
                    .putHeader("grpc-status", Integer.toString(denial.denial().reason().grpcStatus()))
                    .putHeader("grpc-message", denial.denial().detail())
                    .end();
            return;
        }
        response.setStatusCode(denial.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, DenialResponse.CONTENT_TYPE)
                .end(denial.body());
    }

    /** Any other request gets status 429, whatever its headers contain, as bans and alerts look for that status. */
    private static boolean isGrpc(HttpServerRequest request) {
        String contentType = request.getHeader(HttpHeaders.CONTENT_TYPE);
        return request.version() == HttpVersion.HTTP_2 && request.method() == HttpMethod.POST && contentType != null
                && GRPC_CONTENT_TYPE.matcher(contentType).matches();
    }
}
