package io.quarkiverse.ratelimit.runtime.operate.admin;

import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitUnavailableException;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;

/** A request that failed: a status, and one sentence about what is wrong and what to do. */
public final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;
    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");
    private static final int UNAVAILABLE = 503;

    private final int status;

    public Problem(int status, String detail) {
        super(detail, null, false, false);
        this.status = status;
    }

    /** Describes a failure. Most exceptions of the API are mistakes of the caller. */
    public static Problem of(Throwable failure) {
        if (failure instanceof Problem problem) {
            return problem;
        }
        if (failure instanceof IllegalArgumentException || failure instanceof UnsupportedOperationException) {
            return new Problem(400, failure.getMessage());
        }
        if (failure instanceof RateLimitUnavailableException) {
            return new Problem(UNAVAILABLE, failure.getMessage());
        }
        if (failure instanceof IllegalStateException) {
            return new Problem(409, failure.getMessage());
        }
        LOG.error("A request to administer rate limits failed", failure);
        return new Problem(500, "The request failed. The log of the application has the reason.");
    }

    /** Sends the response if none was sent. */
    void send(HttpServerResponse response) {
        if (!response.ended()) {
            if (status == UNAVAILABLE) {
                response.putHeader("Retry-After", "1");
            }
            response.setStatusCode(status).putHeader("Content-Type", "application/problem+json").end(new JsonObject()
                    .put("title", response.getStatusMessage()).put("status", status).put("detail", getMessage()).encode());
        }
    }
}
