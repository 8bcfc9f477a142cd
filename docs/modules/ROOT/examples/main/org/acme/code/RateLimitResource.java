package org.acme.code;

import java.time.Instant;
import java.util.Map;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimiters;

/** Shows callers their own limits, as the API of GitHub does. */
// tag::resource[]
@Path("/rate_limit")
public class RateLimitResource {

    @Inject
    RateLimiters limiters;

    @GET
    public Map<String, Map<String, Usage>> limits() {
        return Map.of("resources", Map.of("core", usage("core"), "code_search", usage("code_search")));
    }

    private Usage usage(String policy) {
        RateLimitDecision decision = limiters.get(policy).forCaller().peek(); // <1>
        return new Usage(decision.permits(), decision.permits() - decision.remaining(), decision.remaining(),
                Instant.now().plus(decision.resetAfter()).getEpochSecond());
    }

    public record Usage(long limit, long used, long remaining, long reset) {
    }
}
// end::resource[]
