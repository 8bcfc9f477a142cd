package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

/** Follows the redirections of a cluster node for requests whose slot is elsewhere. */
public interface RedirectHandler {

    /** For a single Redis: follows nothing. */
    RedirectHandler NONE = (requests, error) -> new Unfollowed(requests, false);

    /**
     * Sends requests again, to another node or later. The caller fails the rest.
     *
     * @param error the error that the node returned for a batch of these requests; nothing was counted
     */
    Unfollowed follow(List<PendingRequest> requests, String error);

    /**
     * The requests that are not sent again.
     *
     * @param nodeUsable whether the error concerns only their slot; if not, the node cannot be used
     */
    record Unfollowed(List<PendingRequest> requests, boolean nodeUsable) {
    }
}
