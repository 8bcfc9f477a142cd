package io.quarkiverse.ratelimit.demo;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;

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
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimitReservation;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.redis.datasource.ReactiveRedisDataSource;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** What the page asks for: other numbers, many calls at once, how callers stand, a Redis that stops answering. */
@Path("/demo")
public class DemoResource {

    private static final Duration OVERRIDDEN = Duration.ofHours(1);
    private static final Duration LONGEST_TRAFFIC = Duration.ofMinutes(10);
    private static final int MOST_CALLERS = 10;
    private static final int MOST_CALLS = 300;

    private final RateLimiters limiters;
    private final RateLimiter limiter;
    private final ReactiveRedisDataSource redis;

    DemoResource(RateLimiters limiters, @RateLimitPolicy("demo") RateLimiter limiter, ReactiveRedisDataSource redis) {
        this.limiters = limiters;
        this.limiter = limiter;
        this.redis = redis;
    }

    /**
     * Puts other numbers in force for some callers, while all goes on.
     *
     * @param fresh whether to forget what they have used up
     */
    @PUT
    @Path("/limits")
    @RateLimited("settings")
    public Uni<Void> limit(Map<String, Numbers> byCaller, @RestQuery boolean fresh) {
        check("callers", given("numbers", byCaller).size(), 1, MOST_CALLERS);
        return Multi.createFrom().iterable(byCaller.entrySet()).onItem().transformToUniAndConcatenate(entry -> {
            String caller = named(entry.getKey());
            Uni<Void> limited = limiters.override("demo", caller, given("numbers", entry.getValue()).limit(), OVERRIDDEN);
            return fresh ? limited.chain(() -> limiter.reset(caller)) : limited;
        }).onItem().ignoreAsUni();
    }

    /**
     * Makes calls, and tells of each when it is decided.
     *
     * @param calls how many for each caller, at most 300 in all
     * @param every milliseconds after which they are made again, 20 to 60 000; 0 for once
     * @param work milliseconds that a call takes where concurrency is limited, at most 3000
     */
    @POST
    @Path("/calls")
    @Produces(RestMediaType.APPLICATION_NDJSON)
    public Multi<Answer> call(Map<String, Integer> calls, @RestQuery long every, @RestQuery long work) {
        check("callers", given("calls", calls).size(), 1, MOST_CALLERS);
        calls.forEach((caller, count) -> check("calls", given("calls", count), 1, MOST_CALLS));
        check("calls", calls.values().stream().mapToInt(Integer::intValue).sum(), 1, MOST_CALLS);
        check("work", work, 0, 3_000);
        List<String> callers = calls.entrySet().stream()
                .flatMap(entry -> Collections.nCopies(entry.getValue(), named(entry.getKey())).stream()).toList();
        return rounds(every).onItem().transformToMultiAndMerge(round -> Multi.createFrom().iterable(callers)
                .onItem().transformToUni(caller -> ask(caller, work)).merge(MOST_CALLS));
    }

    /** How callers stand; nothing is taken. */
    @GET
    @Path("/standing")
    public Uni<List<Answer>> standing(@RestQuery List<String> caller) {
        check("callers", caller.size(), 1, MOST_CALLERS);
        return Multi.createFrom().iterable(caller)
                .onItem().transformToUni(each -> limiter.peek(named(each)).map(decision -> Answer.of(each, decision)))
                .merge(MOST_CALLERS).collect().asList();
    }

    /** Has Redis answer nobody for some seconds, 1 to 10. */
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

    /** Where rounds come too fast, some are left out. */
    private static Multi<Long> rounds(long every) {
        if (every == 0) {
            return Multi.createFrom().item(0L);
        }
        check("every", every, 20, 60_000);
        return Multi.createFrom().ticks().every(Duration.ofMillis(every)).onOverflow().drop()
                .select().first(LONGEST_TRAFFIC.toMillis() / every);
    }

    private Uni<Answer> ask(String caller, long work) {
        boolean concurrency = limiters.limits("demo", caller).values().iterator().next()
                .algorithm() == Algorithm.CONCURRENCY;
        return (concurrency
                ? limiter.reserve(caller, 1).invoke(held -> endAfter(work, held)).map(RateLimitReservation::decision)
                : limiter.acquire(caller)).map(decision -> Answer.of(caller, decision));
    }

    private static void endAfter(long work, RateLimitReservation held) {
        Uni.createFrom().voidItem().onItem().delayIt().by(Duration.ofMillis(Math.max(1, work)))
                .chain(held::cancel).subscribe().with(ended -> {
                }, failure -> {
                });
    }
}
