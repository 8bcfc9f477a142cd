package io.quarkiverse.ratelimit.benchmarks;

/**
 * What a contender did in its turn.
 *
 * @param limit how many calls one key's limit allows in this time
 * @param clientMicros processor time of the client's process
 * @param redisMicros processor time of Redis
 * @param sent commands
 */
record Turn(Tally tally, double seconds, double limit, double clientMicros, double redisMicros, long sent) {

    /** How many more calls were allowed than the limit of the only key allows, in percent. */
    double overLimit() {
        return 100 * (tally.allowed() / limit - 1);
    }

    double perSecond() {
        return tally.decided() / seconds;
    }

    double clientMicrosEach() {
        return clientMicros / tally.decided();
    }

    double redisMicrosEach() {
        return redisMicros / tally.decided();
    }

    double sentEach() {
        return (double) sent / tally.decided();
    }
}
