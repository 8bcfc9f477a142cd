package io.quarkiverse.ratelimit.demo;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestQuery;
import org.jboss.resteasy.reactive.common.util.RestMediaType;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

import io.quarkiverse.ratelimit.Algorithm;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.ReactiveRateLimitReservation;
import io.quarkiverse.ratelimit.ReactiveRateLimiter;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** What the page needs: other limits, many calls at once, the state of callers, a Redis that stops replying. */
@Path("/demo")
public class DemoResource {

    private static final Duration OVERRIDDEN = Duration.ofHours(1);
    private static final Duration LONGEST_TRAFFIC = Duration.ofMinutes(10);
    private static final int MOST_CALLERS = 10;
    private static final int MOST_CALLS = 300;

    private final ReactiveRateLimitAdmin admin;
    private final RateLimiters limiters;
    private final ReactiveRedisDataSource redis;

    DemoResource(ReactiveRateLimitAdmin admin, RateLimiters limiters, ReactiveRedisDataSource redis) {
        this.admin = admin;
        this.limiters = limiters;
        this.redis = redis;
    }

    /**
     * Overrides the limits of some callers.
     *
     * @param fresh whether to reset what they have used
     */
    @PUT
    @Path("/limits")
    @RateLimited("settings")
    public Uni<Void> limit(Map<String, LimitValues> byCaller, @RestQuery boolean fresh) {
        check("callers", given("limits", byCaller).size(), 1, MOST_CALLERS);
        return Multi.createFrom().iterable(byCaller.entrySet()).onItem().transformToUniAndConcatenate(entry -> {
            String caller = named(entry.getKey());
            Uni<Void> overridden = admin.policy(policy(caller)).forKey(caller)
                    .override(given("limit", entry.getValue()).limit(), OVERRIDDEN);
            return fresh ? overridden.chain(() -> limiter(caller).reset()) : overridden;
        }).onItem().ignoreAsUni();
    }

    /**
     * Makes calls, and sends each decision as soon as it is made.
     *
     * @param calls how many for each caller, at most 300 in all
     * @param every milliseconds until they are repeated, 20 to 60 000; 0 for once
     * @param work milliseconds that a call takes where concurrency is limited, at most 3000
     */
    @POST
    @Path("/calls")
    @Produces(RestMediaType.APPLICATION_NDJSON)
    public Multi<CallDecision> call(Map<String, Integer> calls, @RestQuery long every, @RestQuery long work) {
        check("callers", given("calls", calls).size(), 1, MOST_CALLERS);
        calls.forEach((caller, count) -> check("calls", given("calls", count), 1, MOST_CALLS));
        check("calls", calls.values().stream().mapToInt(Integer::intValue).sum(), 1, MOST_CALLS);
        check("work", work, 0, 3_000);
        List<String> callers = calls.entrySet().stream()
                .flatMap(entry -> Collections.nCopies(entry.getValue(), named(entry.getKey())).stream()).toList();
        return rounds(every).onItem().transformToMultiAndMerge(round -> Multi.createFrom().iterable(callers)
                .onItem().transformToUni(caller -> decide(caller, work)).merge(MOST_CALLS));
    }

    /** The state of callers; acquires nothing. */
    @GET
    @Path("/standing")
    public Uni<List<CallDecision>> standing(@RestQuery List<String> caller) {
        check("callers", caller.size(), 1, MOST_CALLERS);
        return Multi.createFrom().iterable(caller).onItem()
                .transformToUni(each -> limiter(named(each)).peek().map(decision -> CallDecision.of(each, decision)))
                .merge(MOST_CALLERS).collect().asList();
    }

    /** Ends the block of a caller. */
    @DELETE
    @Path("/block")
    @RateLimited("settings")
    public Uni<Void> unblock(@RestQuery String caller) {
        return limiter(named(given("caller", caller))).unblock();
    }

    /** Stops Redis from replying for some seconds, 1 to 10. */
    @POST
    @Path("/redis/pause")
    @RateLimited("settings")
    public Uni<Void> pause(@RestQuery int seconds) {
        check("seconds", seconds, 1, 10);
        return redis.execute("CLIENT", "PAUSE", String.valueOf(seconds * 1000), "ALL").replaceWithVoid();
    }

    @ServerExceptionMapper
    Response mistaken(IllegalArgumentException mistake) {
        return Response.status(Response.Status.BAD_REQUEST).type("text/plain").entity(mistake.getMessage()).build();
    }

    /** @throws IllegalArgumentException when a number is out of its range */
    static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " must be " + least + " to " + most + ", but is " + value);
        }
    }

    /** @throws IllegalArgumentException when it is missing */
    static <T> T given(String name, T value) {
        if (value == null) {
            throw new IllegalArgumentException(name + " is required");
        }
        return value;
    }

    private static String named(String caller) {
        if (!caller.matches("[a-z0-9-]{1,40}")) {
            throw new IllegalArgumentException("A caller's name has 1 to 40 letters, digits and dashes");
        }
        return caller;
    }

    /** The scenario that is called login has a penalty, and the one that is called overflow has a pool for all callers. */
    private static String policy(String caller) {
        return caller.contains("-login-") ? "login" : caller.contains("-overflow-") ? "minimum" : "demo";
    }

    private ReactiveRateLimiter limiter(String caller) {
        return limiters.get(policy(caller)).reactive().forKey(caller);
    }

    /** Skips rounds that come too fast. */
    private static Multi<Long> rounds(long every) {
        if (every == 0) {
            return Multi.createFrom().item(0L);
        }
        check("every", every, 20, 60_000);
        return Multi.createFrom().ticks().every(Duration.ofMillis(every)).onOverflow().drop()
                .select().first(LONGEST_TRAFFIC.toMillis() / every);
    }

    private Uni<CallDecision> decide(String caller, long work) {
        ReactiveRateLimiter limited = limiter(caller);
        return admin.policy(policy(caller)).forKey(caller).limits()
                .chain(limits -> limits.get("default").algorithm() == Algorithm.CONCURRENCY
                        ? limited.reserve(1).invoke(reservation -> cancelAfter(work, reservation))
                                .map(ReactiveRateLimitReservation::decision)
                        : limited.tryAcquire())
                .map(decision -> CallDecision.of(caller, decision));
    }

    private static void cancelAfter(long work, ReactiveRateLimitReservation reservation) {
        Uni.createFrom().voidItem().onItem().delayIt().by(Duration.ofMillis(Math.max(1, work)))
                .chain(reservation::cancel).subscribe().with(canceled -> {
                }, failure -> {
                });
    }
}
