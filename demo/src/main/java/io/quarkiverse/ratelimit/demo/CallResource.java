package io.quarkiverse.ratelimit.demo;

import java.time.Duration;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.mutiny.Uni;

/** The resource that the page calls over HTTP: an ordinary one, limited for each {@code X-Caller}. */
@Path("/calls")
public class CallResource {

    private static final long LONGEST_WORK = 3_000;

    /** @param work milliseconds that the call takes, 0 to 3000 */
    @GET
    @RateLimited("demo")
    public Uni<String> call(@QueryParam("work") long work) {
        Uni<String> done = Uni.createFrom().item("Done.\n");
        return work <= 0 ? done : done.onItem().delayIt().by(Duration.ofMillis(Math.min(work, LONGEST_WORK)));
    }
}
