package io.quarkiverse.ratelimit.runtime.engine.limits;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.Caller;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;

/** Shows a call to the application's resolver beans. */
record CallView(Caller caller, String method, List<String> key) implements RateLimitCall {

    @Override
    public String address() {
        return caller.address();
    }

    @Override
    public String header(String name) {
        return caller.header(name);
    }

    @Override
    public String cookie(String name) {
        return caller.cookie(name);
    }

    @Override
    public String query(String name) {
        return caller.query(name);
    }

    @Override
    public String path(String name) {
        return caller.path(name);
    }

    @Override
    public Uni<SecurityIdentity> identity() {
        return caller.identity();
    }
}
