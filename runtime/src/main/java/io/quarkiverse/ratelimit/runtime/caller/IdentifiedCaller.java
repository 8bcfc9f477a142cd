package io.quarkiverse.ratelimit.runtime.caller;

import java.util.function.Supplier;

import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;

/** A caller that can be authenticated. Authentication runs only on subscription to {@link #identity}. */
public class IdentifiedCaller implements Caller {

    private final Supplier<Uni<SecurityIdentity>> authentication;
    private volatile SecurityIdentity identity;

    public IdentifiedCaller(Supplier<Uni<SecurityIdentity>> authentication) {
        this.authentication = authentication;
    }

    @Override
    public Uni<SecurityIdentity> identity() {
        return Uni.createFrom().deferred(authentication::get).invoke(known -> identity = known);
    }

    @Override
    public String principal() {
        return Identities.principal(identity);
    }

    @Override
    public String claim(String name) {
        return Identities.claim(identity, name);
    }

    @Override
    public boolean hasRole(String role) {
        return identity != null && identity.hasRole(role);
    }
}
