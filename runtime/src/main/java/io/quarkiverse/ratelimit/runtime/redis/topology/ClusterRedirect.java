package io.quarkiverse.ratelimit.runtime.redis.topology;

/**
 * A redirection by a node of a cluster, such as {@code MOVED 3999 127.0.0.1:6381}.
 *
 * @param permanent true for {@code MOVED}: the slot has a new node; false for {@code ASK}: only this request goes there
 */
public record ClusterRedirect(boolean permanent, int slot, String address) {

    /** Where to send a request at first. */
    static ClusterRedirect to(int slot, String address) {
        return new ClusterRedirect(true, slot, address);
    }

    /**
     * Parses an error; returns {@code null} if it is not a redirection.
     *
     * @param from the node that sent the error; its host applies if the error contains none
     */
    public static ClusterRedirect of(String error, String from) {
        boolean moved = error.startsWith("MOVED ");
        if (!moved && !error.startsWith("ASK ")) {
            return null;
        }
        String[] words = error.split(" ");
        int port = words[2].lastIndexOf(':');
        return new ClusterRedirect(moved, Integer.parseInt(words[1]),
                ClusterSlots.address(words[2].substring(0, port), words[2].substring(port + 1), from));
    }
}
