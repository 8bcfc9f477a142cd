package io.quarkiverse.ratelimit.runtime.redis;

/**
 * Where a node of a cluster sends what is not its own, as in {@code MOVED 3999 127.0.0.1:6381}.
 *
 * @param forGood whether the slot is there now; else only what the node that has it does not hold
 */
record Redirection(boolean forGood, int slot, String address) {

    /**
     * What an error says, or {@code null} when it is none.
     *
     * @param from the node that has answered it; its host is meant where none is said
     */
    static Redirection of(String error, String from) {
        boolean moved = error.startsWith("MOVED ");
        if (!moved && !error.startsWith("ASK ")) {
            return null;
        }
        String[] words = error.split(" ");
        int port = words[2].lastIndexOf(':');
        return new Redirection(moved, Integer.parseInt(words[1]),
                ClusterSlots.address(words[2].substring(0, port), words[2].substring(port + 1), from));
    }
}
