package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.StringJoiner;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.engine.call.Decision;
import io.quarkiverse.ratelimit.runtime.engine.call.Outcome;
import io.quarkiverse.ratelimit.runtime.engine.limits.InvalidCost;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.Json;
import io.vertx.ext.web.RoutingContext;

/** Describes a denial to the caller as problem details (RFC 9457). */
record DenialResponse(Denial denial, String body) {

    /** The value of {@code Cache-Control}. */
    static final String CACHING = "no-store";

    static final String CONTENT_TYPE = "application/problem+json";

    private static final int USUAL_LENGTH = 256;
    private static final String GRPC = "application/grpc";
    private static final Pattern GRPC_CONTENT_TYPE = Pattern.compile("application/grpc(\\s*;.*|\\+.*)?",
            Pattern.CASE_INSENSITIVE);

    /**
     * @param policy the one that denies
     * @param outcome all decisions for the call, of configured policies; empty where only the exception is available
     */
    static DenialResponse of(Denial denial, String policy, Outcome outcome) {
        // the names of configured policies need no escapes, but a decision by the application may contain any text
        boolean isPlain = !outcome.decisions().isEmpty();
        StringBuilder body = new StringBuilder(USUAL_LENGTH)
                .append("{\"type\":\"").append(denial.reason().problemType)
                .append("\",\"title\":\"").append(denial.reason().title)
                .append("\",\"status\":").append(denial.reason().httpStatus)
                .append(",\"detail\":").append(isPlain ? '"' + denial.detail() + '"' : Json.encode(denial.detail()))
                .append(",\"violated-policies\":[")
                .append(isPlain ? violated(outcome) : Json.encode(policy))
                .append("]}");
        return new DenialResponse(denial, body.toString());
    }

    /** Returns the body of the response with status 400 to a request with this cost. */
    static String invalidCost(InvalidCost.OfRequest invalid) {
        return "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,\"detail\":"
                + Json.encode(invalid.getMessage()) + "}";
    }

    /** Writes the response to a request of any kind; a gRPC call gets a gRPC status. */
    void send(RoutingContext routing) {
        HttpServerResponse response = routing.response();
        if (response.ended()) {
            return;
        }
        response.putHeader(HttpHeaders.CACHE_CONTROL, CACHING);
        if (denial.retryAfter() != null) {
            response.putHeader(HttpHeaders.RETRY_AFTER, denial.retryAfter().toString());
        }
        if (isGrpc(routing.request())) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, GRPC)
                    .putHeader("grpc-status", Integer.toString(denial.reason().grpcStatus))
                    .putHeader("grpc-message", denial.detail()).end();
        } else {
            response.setStatusCode(denial.reason().httpStatus).putHeader(HttpHeaders.CONTENT_TYPE, CONTENT_TYPE)
                    .end(body);
        }
    }

    /** Any other request gets status 429, whatever its headers contain, as bans and alerts look for that status. */
    private static boolean isGrpc(HttpServerRequest request) {
        String contentType = request.getHeader(HttpHeaders.CONTENT_TYPE);
        return request.version() == HttpVersion.HTTP_2 && request.method() == HttpMethod.POST && contentType != null
                && GRPC_CONTENT_TYPE.matcher(contentType).matches();
    }

    private static StringJoiner violated(Outcome outcome) {
        StringJoiner names = new StringJoiner("\",\"", "\"", "\"").setEmptyValue("");
        for (Decision decision : outcome.decisions()) {
            if (!decision.allowed()) {
                addTo(names, decision);
                decision.asked().stream().filter(other -> !other.policy().equals(decision.policy()))
                        .forEach(other -> addTo(names, other));
            }
        }
        return names;
    }

    /** Adds the limits that denied a call, or the policy if none of them did. */
    private static void addTo(StringJoiner names, Decision denial) {
        if (denial.ownLimits().isEmpty()) {
            names.add(denial.policy());
        }
        for (LimitState limit : denial.ownLimits()) {
            if (!limit.allowed()) {
                names.add(ResponseHeaders.memberName(denial.appliedPolicy(), limit.limit()));
            }
        }
    }
}
