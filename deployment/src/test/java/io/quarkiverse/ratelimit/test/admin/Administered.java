package io.quarkiverse.ratelimit.test.admin;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** An application whose limits are administered. */
@Path("/quotes")
public class Administered {

    static final String POLICIES = """
            quarkus.rate-limit.timeout=10s
            quarkus.rate-limit.admin.enabled=true
            quarkus.rate-limit.policies.quotes.permits=2
            quarkus.rate-limit.policies.quotes.period=1h
            quarkus.rate-limit.policies.quotes.key=header:X-Api-Key
            quarkus.rate-limit.policies.users.permits=3
            quarkus.rate-limit.policies.users.period=30s
            quarkus.rate-limit.policies.users.key=principal
            quarkus.rate-limit.policies.pairs.permits=3
            quarkus.rate-limit.policies.pairs.period=1h
            quarkus.rate-limit.policies.pairs.key=ip,principal
            quarkus.rate-limit.policies.everybody.permits=3
            quarkus.rate-limit.policies.everybody.period=1h
            quarkus.rate-limit.policies.everybody.key=global
            quarkus.rate-limit.policies.trial.permits=1
            quarkus.rate-limit.policies.trial.period=1h
            quarkus.rate-limit.policies.trial.key=ip
            quarkus.rate-limit.policies.trial.mode=shadow
            quarkus.rate-limit.policies.trial.penalty.after=1
            quarkus.rate-limit.policies.trial.penalty.within=1h
            quarkus.rate-limit.policies.trial.penalty.block=30m
            quarkus.rate-limit.policies.several.key=principal
            quarkus.rate-limit.policies.several.limits.short.permits=3
            quarkus.rate-limit.policies.several.limits.short.period=1m
            quarkus.rate-limit.policies.several.limits.daily.algorithm=fixed-window
            quarkus.rate-limit.policies.several.limits.daily.permits=10
            quarkus.rate-limit.policies.several.limits.daily.calendar=day
            quarkus.rate-limit.policies.several.limits.daily.counts=calls
            """;

    /** Users root, with the role operator, and bob, with the role guest. */
    static final String USERS = """
            quarkus.rate-limit.admin.roles-allowed=support, operator
            quarkus.http.auth.basic=true
            quarkus.security.users.embedded.enabled=true
            quarkus.security.users.embedded.plain-text=true
            quarkus.security.users.embedded.users.root=root
            quarkus.security.users.embedded.users.bob=bob
            quarkus.security.users.embedded.roles.root=operator
            quarkus.security.users.embedded.roles.bob=guest
            """;

    @GET
    @RateLimited("quotes")
    public String quote() {
        return "quote";
    }
}
