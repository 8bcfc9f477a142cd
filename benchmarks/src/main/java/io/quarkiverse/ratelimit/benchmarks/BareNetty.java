package io.quarkiverse.ratelimit.benchmarks;

import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;

/** The reference: the extension's own script for every decision, from a client that does nothing else. */
final class BareNetty implements Contender {

    static final String NAME = "bare Netty client";

    private final int port;
    private NettyClient client;

    BareNetty(String port) {
        this.port = Integer.parseInt(port);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean isPeer() {
        return false;
    }

    @Override
    public void limit(String prefix, Rate[] rates) throws Exception {
        close();
        client = new NettyClient(port, prefix, rates.length, key -> acquire(rates[key]));
    }

    private static Operation acquire(Rate rate) {
        return PolicyLimit.ruleOf(rate.limit()).acquire(PermitRequest.of(1));
    }

    @Override
    public Tally run(long deadline, int inFlight) throws Exception {
        return client.tally(deadline, inFlight);
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
