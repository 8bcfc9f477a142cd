package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

/** Follows the redirections of a cluster node for requests whose slot is elsewhere. */
interface RedirectHandler {

    /** For a single Redis: follows nothing. */
    RedirectHandler NONE = (requests, error) -> false;

    /**
     * Sends requests again, to another node or later, and removes these from the list. The caller fails the rest.
     *
     * @param error the error that the node returned for a batch of these requests; nothing was counted
     * @return whether the error concerns only their slot; if not, the node cannot be used
     */
    boolean follow(List<PendingRequest> requests, String error);
}
