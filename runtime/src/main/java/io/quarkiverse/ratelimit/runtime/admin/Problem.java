package io.quarkiverse.ratelimit.runtime.admin;

import java.util.Map;

import org.jboss.logging.Logger;

import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

/** A request that failed: a status, and one sentence about what is wrong and what to do. */
final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final String CONTENT_TYPE = "application/problem+json";

    private final int status;
    private final Map<String, String> headers;

    Problem(int status, String detail) {
        this(status, detail, Map.of());
    }

    Problem(int status, String detail, Map<String, String> headers) {
        super(detail, null, false, false);
        this.status = status;
        this.headers = headers;
    }

    /** Most exceptions of the API are mistakes of the caller; {@link IllegalStateException} is an outage. */
    static Problem of(Throwable failure) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof IllegalArgumentException || failure instanceof UnsupportedOperationException) {
            return new Problem(400, failure.getMessage());
        }
        if (failure instanceof IllegalStateException) {
            return new Problem(503, failure.getMessage());
        }
        LOG.error("A request to administer rate limits failed", failure);
        return new Problem(500, "The request failed. The log of the application has the reason.");
    }

    void send(HttpServerResponse response) {
        if (!response.ended()) {
            response.setStatusCode(status);
            headers.forEach(response::putHeader);
            sendBody(response);
        }
    }

    /** Sends the response with a status and headers that are already set. */
    void sendBody(HttpServerResponse response) {
        response.putHeader("Content-Type", CONTENT_TYPE).end(new JsonObject()
                .put("title", response.getStatusMessage())
                .put("status", response.getStatusCode()).put("detail", getMessage()).encode());
    }
}
