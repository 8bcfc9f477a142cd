package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;

/** Follows what a node of a cluster says of questions that are not its own. */
interface Redirections {

    /** There is only one Redis. */
    Redirections NONE = (questions, error) -> false;

    /**
     * Asks elsewhere, or later.
     *
     * @param error what the node has answered to a call of these questions, of which nothing was counted
     * @return whether the error was such; the others are to be failed
     */
    boolean follow(List<Pending> questions, String error);
}
