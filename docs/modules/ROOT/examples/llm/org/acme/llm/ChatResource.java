package org.acme.llm;

import jakarta.inject.Inject;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimiter;
import io.smallrye.mutiny.Multi;

// tag::resource[]
@Path("/chat")
public class ChatResource {

    @Inject
    Assistant assistant;

    @POST
    public String chat(String question) {
        return assistant.chat(question);
    }

    @POST
    @Path("stream")
    public Multi<String> stream(String question) {
        return assistant.stream(question);
    }
    // end::resource[]

    @Inject
    Advisor advisor;

    @POST
    @Path("advice")
    public String advise(String question) {
        return advisor.advise(question);
    }

    @Inject
    @RateLimitPolicy("llm")
    RateLimiter limiter;

    @POST
    @Path("left")
    public long left(@HeaderParam("X-User") String user) {
        return tokensLeft(user);
    }

    // tag::left[]
    long tokensLeft(String user) {
        return limiter.forKey(user).peek().limits().stream()
                .filter(limit -> limit.limit().equals("tokens"))
                .mapToLong(LimitState::remaining).sum();
    }
    // end::left[]
    // tag::resource[]
}
// end::resource[]
