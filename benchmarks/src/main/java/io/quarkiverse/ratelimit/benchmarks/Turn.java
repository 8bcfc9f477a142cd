package io.quarkiverse.ratelimit.benchmarks;

/**
 * What a contender did while it was its turn.
 *
 * @param clientMicros processor time of the client's process
 * @param redisMicros processor time of Redis
 * @param sent commands
 */
record Turn(Tally tally, double seconds, double clientMicros, double redisMicros, long sent) {

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
