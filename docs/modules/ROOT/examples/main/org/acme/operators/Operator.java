package org.acme.operators;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.RateLimitAdmin;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;

/** Changes limits while the application runs. */
@ApplicationScoped
public class Operator {

    // tag::operator[]
    @Inject
    RateLimitAdmin admin;

    public void moreForEverybody() {
        admin.policy("partners").override(Limit.tokenBucket(20).refill(20, Duration.ofHours(1)), Duration.ofDays(1));
    }

    public void moreFor(String partner) {
        admin.policy("partners").forKey(partner).override(Limit.tokenBucket(100).refill(100, Duration.ofHours(1)),
                Duration.ofDays(1));
    }

    public void asConfigured() {
        admin.policy("partners").removeOverride();
    }

    public Map<String, Limit> inForce() {
        return admin.policy("partners").limits();
    }
    // end::operator[]

    // tag::support[]
    @Inject
    RateLimiters limiters;

    public RateLimitDecision state(String partner) {
        return limiters.get("partners").forKey(partner).peek();
    }

    public void unblock(String partner) {
        limiters.get("partners").forKey(partner).unblock();
    }

    public void startAgain(String partner) {
        limiters.get("partners").forKey(partner).reset();
    }
    // end::support[]

    // tag::shadow[]
    public void denyNobody() {
        admin.policy("quotes").shadow(Duration.ofHours(1));
    }

    public void enforce() {
        admin.policy("quotes").enforce();
    }
    // end::shadow[]

    // tag::attack[]
    public List<DeniedKey> attackers() {
        return admin.mostDenied(20);
    }

    public List<BlockedKey> blocked() {
        return admin.policy("quotes").blocked();
    }

    public void block(String address) {
        admin.policy("quotes").forKey(address).block(Duration.ofHours(1));
    }
    // end::attack[]
}
