package io.quarkiverse.ratelimit.runtime.store.redis;

import static io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests.policy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.LimitState;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.platform.mutiny.PlainUni;
import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.Deadline;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.quarkiverse.ratelimit.runtime.store.fixtures.RandomLimits;
import io.quarkiverse.ratelimit.runtime.store.fixtures.StoreRequests;
import io.quarkiverse.ratelimit.runtime.store.redis.DecideScript.ReplyReader;
import io.quarkiverse.ratelimit.runtime.store.redis.PendingRequest.Decide;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealRedis;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;

/** Merged requests have the replies and the effects of separate ones. */
class BatchRepliesTest {

    private static final long START = 1_763_640_000_000_000L;
    private static final long END = START + 50 * 366 * 86_400_000_000L;
    private static final int STEPS = 200;
    private static final int MAX_REQUESTS = 12;
    /** Each held permit is stored. */
    private static final int MAX_CONCURRENT = 30;

    @RegisterExtension
    static final RealRedis REDIS = new RealRedis();

    private final AtomicLong clock = new AtomicLong(START);
    private final DecideScript script = FrozenRedis.script(clock::get);
    private long blockedFor;
    private final List<Acquired> acquired = new ArrayList<>();

    /** The part of a decision that a refund needs. */
    private record Acquired(Policy policy, StoreReply reply, PermitRequest requested) {
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6 })
    void mergedRequestsGetTheRepliesOfSingleOnes(long seed) {
        Random random = new Random(seed);
        Policy policy = randomPolicy(random);
        String caller = "";
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(30) == 0) {
                policy = randomPolicy(random);
            }
            if (step == 0 || random.nextInt(100) == 0 || clock.get() > END) {
                clock.set(START);
                caller = seed + "-" + step;
                acquired.clear();
            }
            clock.addAndGet(RandomLimits.step(policy.limits().get(0).limit(), random));
            script.recordTime(clock.get());

            blockedFor = random.nextInt(10) == 0 ? 30_000_000 : 0;
            PermitRequest requested = randomCall(random, policy);
            int count = 1 + random.nextInt(MAX_REQUESTS);
            String what = "seed %d, step %d: %d times %s of %s".formatted(seed, step, count, requested, policy.limits());
            List<StoreReply> merged = merged(requestOf(policy, requested, "m" + caller),
                    requestOf(policy, requested, "n" + caller),
                    count);
            List<StoreReply> single = single(requestOf(policy, requested, "s" + caller), count);

            assertThat(merged).as(what).containsExactlyElementsOf(single);
            if (random.nextInt(3) == 0 && !acquired.isEmpty()) {
                Acquired back = acquired.remove(random.nextInt(acquired.size()));
                for (String which : List.of("m", "n", "s")) {
                    single(refund(back, which + caller), 1);
                }
            }
            assertThat(stored(policy, "m" + caller)).as(what).isEqualTo(stored(policy, "s" + caller));
            for (StoreReply reply : single) {
                if (requestOf(policy, requested, caller).allowedBy(reply) && requested.kind() != OperationKind.PEEK) {
                    acquired.add(new Acquired(policy, reply, requested));
                }
            }
        }
    }

    /** Sends requests in one call, alternating with as many of another caller. */
    private List<StoreReply> merged(StoreRequest request, StoreRequest other, int count) {
        Batch call = new Batch(2 * count);
        List<CompletableFuture<StoreReply>> replies = new ArrayList<>(), others = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            replies.add(decide(call, request));
            others.add(decide(call, other));
        }
        assertThat(call.entries).hasSize(Batch.isMergeable(request) ? 2 : 2 * count);

        ReplyReader reply = new ReplyReader(REDIS.send(call.command(script, true)));
        call.entries.forEach(entry -> {
            assertThat(reply.errorOfNext()).isNull();
            Batch.complete(entry, reply.next(entry.request));
        });

        List<StoreReply> all = replies.stream().map(CompletableFuture::join).toList();
        assertThat(others.stream().map(CompletableFuture::join)).containsExactlyElementsOf(all);
        return all;
    }

    private static CompletableFuture<StoreReply> decide(Batch call, StoreRequest request) {
        return PlainUni
                .<StoreReply> emitter(caller -> call.add(new Decide(request, Deadline.in(Duration.ZERO), caller)))
                .subscribeAsCompletionStage();
    }

    /** StoreRequests each by itself, at the same time. */
    private List<StoreReply> single(StoreRequest request, int count) {
        ReplyReader reply = new ReplyReader(REDIS.send(script.command(Collections.nCopies(count, request), true)));
        return IntStream.range(0, count).mapToObj(i -> {
            assertThat(reply.errorOfNext()).isNull();
            return reply.next(request);
        }).toList();
    }

    private static StoreRequest refund(Acquired back, String caller) {
        List<LimitOperation> steps = new ArrayList<>();
        for (PolicyLimit limit : back.policy.limits()) {
            int at = steps.size();
            LimitState state = back.reply.usage(at).state(limit.name(), back.requested, back.reply.time(), true);
            steps.add(StoreRequests.operation(back.policy.name(), limit.storedName(), caller,
                    limit.rule().refund(state, back.reply.time(), back.reply.usage(at).granted(), back.requested.id())));
        }
        return new StoreRequest(steps);
    }

    private static StoreRequest requestOf(Policy policy, PermitRequest requested, String caller) {
        return StoreRequests.requestOf(policy, requested, caller);
    }

    /** What the keys of all limits hold. */
    private static List<String> stored(Policy policy, String caller) {
        List<String> all = new ArrayList<>();
        List<String> names = new ArrayList<>(List.of(LimitKey.PENALTY));
        policy.limits().forEach(limit -> names.add(limit.storedName()));
        for (String name : names) {
            String key = "test:{" + caller + "}:policy:" + name;
            all.add(switch (REDIS.send(Command.TYPE, key).toString()) {
                case "string" -> hex(REDIS.send(Command.GET, key));
                case "list" -> hex(REDIS.send(Command.LRANGE, key, 0, -1));
                case "zset" -> hex(REDIS.send(Command.ZRANGE, key, 0, -1, "WITHSCORES"));
                default -> "nothing";
            });
        }
        return all;
    }

    private static String hex(Response stored) {
        return switch (stored.type()) {
            case MULTI -> stored.stream().map(BatchRepliesTest::hex).toList().toString();
            case BULK -> HexFormat.of().formatHex(stored.toBytes());
            default -> stored.toString();
        };
    }

    /** Mostly one that can be merged, and for some of them there are permits. */
    private static PermitRequest randomCall(Random random, Policy policy) {
        long burst = policy.limits().get(random.nextInt(policy.limits().size())).limit().burst();
        OperationKind kind = random.nextInt(10) == 0 ? OperationKind.values()[random.nextInt(4)] : OperationKind.ACQUIRE;
        if (policy.holdsPermits()) {
            burst = Math.min(burst, MAX_CONCURRENT);
        }
        long most = random.nextBoolean() ? burst + 3 : 1 + burst / MAX_REQUESTS;
        return new PermitRequest(random.nextInt(3) == 0 ? 1 : Math.min(Limit.MAX_PERMITS, 1 + random.nextLong(most)), kind, 1);
    }

    private Policy randomPolicy(Random random) {
        Limit[] limits = new Limit[random.nextInt(2) == 0 ? 2 + random.nextInt(2) : 1];
        for (int i = 0; i < limits.length; i++) {
            limits[i] = RandomLimits.any(random);
        }
        return policy("policy", limits).withPenalty(RandomLimits.penalty(limits[0], random, () -> blockedFor));
    }
}
