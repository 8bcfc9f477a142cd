package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

/** Follows what a node of a cluster says of questions that are not its own. */
interface Redirections {

    /** There is only one Redis. */
    Redirections NONE = (questions, error) -> false;

    /**
     * Asks elsewhere, or later, and takes out of the list what it so asks again; the rest is to be failed.
     *
     * @param error what the node has answered to a call of these questions, of which nothing was counted
     * @return whether it was about their slot alone; else the node is of no use
     */
    boolean follow(List<Pending> questions, String error);
}
