package io.quarkiverse.ratelimit.runtime.engine;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.smallrye.mutiny.Uni;

/** The request in which a call runs. */
public interface CurrentRequest {

    /** No request is served. */
    CurrentRequest NONE = identified -> Uni.createFrom().item(Caller.UNKNOWN);

    /**
     * Who is calling.
     *
     * @param identified whether the caller's identity is needed; only then authentication is triggered
     */
    Uni<Caller> caller(boolean identified);

    /**
     * Says what was decided for the resource method that the request runs.
     *
     * @param refusal {@code null} where it is admitted
     */
    default void decided(Outcome outcome, RateLimitExceededException refusal) {
    }

    /**
     * Lets a call that is admitted within the request count only if the response has one of the statuses for which its
     * policies count.
     */
    default void countByStatus(Outcome outcome) {
    }
}
