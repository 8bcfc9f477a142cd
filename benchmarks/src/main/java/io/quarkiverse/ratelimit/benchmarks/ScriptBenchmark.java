package io.quarkiverse.ratelimit.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.algorithm.OperationKind;
import io.quarkiverse.ratelimit.runtime.algorithm.PermitRequest;
import io.quarkiverse.ratelimit.runtime.algorithm.ScriptFile;
import io.quarkiverse.ratelimit.runtime.policy.PolicyLimit;
import io.quarkiverse.ratelimit.runtime.store.redis.AssembledScript;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Measures how long Redis itself takes for one call of each algorithm's script, by {@code INFO commandstats}, allowed and
 * denied, against a script that does nothing and the usual token bucket on a hash; and how many bytes a key takes.
 */
public final class ScriptBenchmark {

    private static final int ROUNDS = 9;
    private static final int CALLS = 5_000;
    private static final int BATCH = 100;
    private static final int KEYS = 500;
    private static final int TOGETHER = 16, CHAINS_TOGETHER = 9;
    private static final long PLENTY = 1_000_000_000;
    private static final Pattern EVALSHA = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)");
    private static final Duration DAY = Duration.ofDays(1);

    /** What the Redis guides show: tokens and the time of the last refill in a hash, written whatever is decided. */
    private static final String HASH_BUCKET = """
            local capacity, rate, interval = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
            local time = redis.call('TIME')
            local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
            local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'last_refill')
            local tokens = tonumber(bucket[1]) or capacity
            local last_refill = tonumber(bucket[2]) or now
            local intervals = math.floor((now - last_refill) / interval)
            if intervals > 0 then
              tokens = math.min(capacity, tokens + intervals * rate)
              last_refill = last_refill + intervals * interval
            end
            local allowed = 0
            if tokens >= 1 then
              tokens = tokens - 1
              allowed = 1
            end
            redis.call('HSET', KEYS[1], 'tokens', tokens, 'last_refill', last_refill)
            redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate) * interval)
            return { allowed, tokens }
            """;

    /** The least that a decision can cost: every exact token bucket needs this. */
    private static final String TIME_AND_GET = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local stored = redis.call('GET', KEYS[1])
            """;
    private static final byte[] STATE = new byte[33];

    private static final Case HASH_ALLOWED = new Case("hash bucket", "allowed");
    private static final Case HASH_DENIED = new Case("hash bucket", "denied");

    /** One line of the results. */
    private record Case(String script, String decision) {
    }

    private final RedisConnection redis;
    private final Map<String, String> shas = new HashMap<>();
    private final Map<Case, List<Double>> micros = new HashMap<>();
    private final Map<Case, IntFunction<Request>> cases = new LinkedHashMap<>();
    /** How many decisions each call of a case makes, if more than one. */
    private final Map<Case, Integer> together = new HashMap<>();
    private int sent;

    private ScriptBenchmark(RedisConnection redis) {
        this.redis = redis;
    }

    public static void main(String[] arguments) throws Exception {
        try (OwnRedis redis = OwnRedis.start()) {
            Vertx vertx = Vertx.vertx();
            try {
                Redis client = Redis.createClient(vertx, redis.address());
                new ScriptBenchmark(await(client.connect())).run();
            } finally {
                vertx.close().toCompletionStage().toCompletableFuture().join();
            }
        }
    }

    private void run() throws Exception {
        String nothing = load("return 1");
        String hash = load(HASH_BUCKET);
        cases.put(new Case("nothing", "allowed"), n -> evalsha(nothing).arg(1).arg("nothing"));
        cases.put(HASH_ALLOWED, n -> evalsha(hash).arg(1).arg("hash:a" + n % KEYS).arg(PLENTY).arg(1).arg(1000));
        cases.put(HASH_DENIED, n -> evalsha(hash).arg(1).arg("hash:r" + n % KEYS).arg(1).arg(1).arg(DAY.toMillis()));
        String read = load(TIME_AND_GET + "return struct.pack('<dddddd', now, 1, 2, 3, 4, 5)");
        String write = load(TIME_AND_GET + "redis.call('SET', KEYS[1], ARGV[1], 'PX', '86400000')\n"
                + "return struct.pack('<dddddd', now, 1, 2, 3, 4, 5)");
        cases.put(new Case("time and state", "allowed"),
                n -> evalsha(write).arg(1).arg("bare:a" + n % KEYS).arg(STATE));
        cases.put(new Case("time and state", "denied"),
                n -> evalsha(read).arg(1).arg("bare:a" + n % KEYS).arg(STATE));
        add("token bucket", Limit.tokenBucket(PLENTY).refill(PLENTY, DAY), Limit.tokenBucket(1).refill(1, DAY));
        addTogether("token bucket 16 in one call", Limit.tokenBucket(PLENTY).refill(PLENTY, DAY),
                Limit.tokenBucket(1).refill(1, DAY));
        add("token bucket interval", Limit.tokenBucket(PLENTY).refillInterval(PLENTY, DAY),
                Limit.tokenBucket(1).refillInterval(1, DAY));
        add("fixed window", Limit.fixedWindow(PLENTY, DAY), Limit.fixedWindow(1, DAY));
        add("fixed window calendar", Limit.fixedWindow(PLENTY, CalendarPeriod.DAY),
                Limit.fixedWindow(1, CalendarPeriod.DAY));
        add("sliding window", Limit.slidingWindow(PLENTY, DAY), Limit.slidingWindow(1, DAY));
        add("sliding log", Limit.slidingLog(PLENTY, DAY), Limit.slidingLog(1, DAY));
        add("concurrency", Limit.concurrency(PLENTY).leaseTime(Duration.ofSeconds(1)), Limit.concurrency(1).leaseTime(DAY));
        addPolicies("one policy", "0");
        addPolicies("two policies that must both allow", "00");
        addPolicies("an overflow that is not needed", "(+");
        addPolicies("an overflow that is used", "(+", Limit.tokenBucket(1).refill(1, DAY));
        for (int round = -2; round < ROUNDS; round++) {
            for (Map.Entry<Case, IntFunction<Request>> one : cases.entrySet()) {
                double took = measure(one.getValue()) / together.getOrDefault(one.getKey(), 1);
                if (round >= 0) {
                    micros.computeIfAbsent(one.getKey(), name -> new ArrayList<>()).add(took);
                }
            }
        }
        report();
        growth();
        memory();
    }

    private void report() throws IOException {
        Results results = new Results("script", "script", "decision", "us", "us_low", "us_high", "to_hash", "to_hash_low",
                "to_hash_high");
        System.out.println("| script | decision | us per decision | to the hash bucket |\n| --- | --- | --- | --- |");
        for (Case one : cases.keySet()) {
            List<Double> hash = micros.get(one.decision.equals("denied") ? HASH_DENIED : HASH_ALLOWED);
            List<Double> took = micros.get(one);
            Range us = Range.of(ROUNDS, took::get);
            Range toHash = Range.of(ROUNDS, round -> took.get(round) / hash.get(round));
            results.add(one.script, one.decision, us.median(), us.low(), us.high(), toHash.median(), toHash.low(),
                    toHash.high());
            System.out.printf("| %s | %s | %s | %s |%n", one.script, one.decision, us, toHash);
        }
        results.write();
    }

    /** What a call of a sliding log costs as the log grows, and how many bytes it takes per entry. */
    private void growth() throws Exception {
        System.out.println("\n| sliding log with | us per call | denied | bytes per entry |\n| --- | --- | --- | --- |");
        for (int entries = 10; entries <= 100_000; entries *= 10) {
            String key = "log:" + entries;
            Limit limit = Limit.slidingLog(entries, DAY);
            String log = sha(acquire(limit, 1, 0));
            for (int i = 0; i < entries; i += BATCH) {
                send(Math.min(BATCH, entries), n -> call(log, key, acquire(limit, 1, n)));
            }
            double bytes = await(redis.send(Request.cmd(Command.MEMORY).arg("USAGE").arg(key).arg("SAMPLES").arg(0))).toLong();
            Limit wider = Limit.slidingLog(PLENTY, DAY);
            double denied = measure(n -> call(log, key, acquire(limit, 1, n)));
            double allowed = measure(n -> call(log, key, acquire(wider, 1, n)));
            System.out.printf(Locale.ROOT, "| %d entries | %.2f | %.2f | %.1f |%n", entries, allowed, denied, bytes / entries);
        }
    }

    private void memory() throws Exception {
        System.out.println("\n| key of | bytes |\n| --- | --- |");
        for (String name : List.of("token bucket", "fixed window", "sliding window", "sliding log", "concurrency")) {
            String key = "memory:{ip=203.0.113.7}:api:" + name;
            Limit limit = switch (name) {
                case "token bucket" -> Limit.tokenBucket(10).refill(10, DAY);
                case "fixed window" -> Limit.fixedWindow(10, DAY);
                case "sliding window" -> Limit.slidingWindow(10, DAY);
                case "sliding log" -> Limit.slidingLog(10, DAY);
                default -> Limit.concurrency(10);
            };
            send(10, n -> call(sha(acquire(limit, 1, n)), key, acquire(limit, 1, n)));
            System.out.printf(Locale.ROOT, "| %s, 10 permits in use | %d |%n", name,
                    await(redis.send(Request.cmd(Command.MEMORY).arg("USAGE").arg(key))).toLong());
        }
        send(1, n -> evalsha(load(HASH_BUCKET)).arg(1).arg("memory:{ip=203.0.113.7}:api:hash").arg(10).arg(1)
                .arg(DAY.toMillis()));
        System.out.printf(Locale.ROOT, "| hash bucket | %d |%n",
                await(redis.send(Request.cmd(Command.MEMORY).arg("USAGE").arg("memory:{ip=203.0.113.7}:api:hash"))).toLong());
    }

    private void add(String name, Limit plenty, Limit one) {
        String sha = sha(acquire(plenty, 1, 0));
        cases.put(new Case(name, "allowed"), n -> call(sha, name + ":a" + n % KEYS, acquire(plenty, 1, n)));
        cases.put(new Case(name, "denied"), n -> call(sha, name + ":r" + n % KEYS, acquire(one, 1, n)));
    }

    /** Several decisions in one call, as when an event loop collects them in one iteration. */
    private void addTogether(String name, Limit plenty, Limit one) {
        String sha = sha(acquire(plenty, 1, 0));
        addTogether(new Case(name, "allowed"), n -> together(sha, name + ":a", n, acquire(plenty, 1, n)));
        addTogether(new Case(name, "denied"), n -> together(sha, name + ":r", n, acquire(one, 1, n)));
    }

    private void addTogether(Case one, IntFunction<Request> calls) {
        cases.put(one, calls);
        together.put(one, TOGETHER);
    }

    private static Request together(String sha, String key, int n, Operation operation) {
        Request request = evalsha(sha).arg(TOGETHER);
        for (int i = 0; i < TOGETHER; i++) {
            request.arg(key + (n + i) % KEYS);
        }
        return request.arg(TOGETHER).arg("0").arg(operation.function().path).arg(operation.arguments(0));
    }

    /**
     * Calls of policies with one limit each, alone and several in one call of the script.
     *
     * @param groups of the limits, as in {@code overflow.lua}
     * @param first the limits of the first policies, if not plenty
     */
    private void addPolicies(String name, String groups, Limit... first) {
        List<Operation> operations = IntStream.range(0, groups.length()).mapToObj(
                n -> acquire(n < first.length ? first[n] : Limit.tokenBucket(PLENTY).refill(PLENTY, DAY), 1, 0)).toList();
        long files = operations.get(0).files();
        if (groups.length() > 1) {
            files |= ScriptFile.TOGETHER.bit();
        }
        if (groups.startsWith("(")) {
            files |= ScriptFile.OVERFLOW.bit();
        }
        String sha = load(AssembledScript.text(files));
        cases.put(new Case(name, "allowed"), n -> policies(sha, name, groups, n, 1, operations));
        Case nine = new Case(name + " " + CHAINS_TOGETHER + " in one call", "allowed");
        cases.put(nine, n -> policies(sha, name, groups, n, CHAINS_TOGETHER, operations));
        together.put(nine, CHAINS_TOGETHER);
    }

    private static Request policies(String sha, String key, String groups, int n, int calls, List<Operation> operations) {
        Request request = evalsha(sha).arg(calls * groups.length());
        for (int i = 0; i < calls; i++) {
            for (int position = 0; position < groups.length(); position++) {
                request.arg(key + position + ':' + (n + i) % KEYS);
            }
        }
        request.arg(calls).arg(groups);
        operations.forEach(operation -> request.arg(operation.function().path).arg(operation.arguments(0)));
        return request;
    }

    private static Operation acquire(Limit limit, long cost, long id) {
        return PolicyLimit.ruleOf(limit).acquire(new PermitRequest(cost, OperationKind.ACQUIRE, id));
    }

    private Request call(String sha, String key, Operation operation) {
        return evalsha(sha).arg(1).arg(key).arg(1).arg("0").arg(operation.function().path)
                .arg(operation.arguments(System.currentTimeMillis() * 1000));
    }

    private static Request evalsha(String sha) {
        return Request.cmd(Command.EVALSHA).arg(sha);
    }

    private String sha(Operation operation) {
        return shas.computeIfAbsent(operation.function().path, name -> load(AssembledScript.text(operation.files())));
    }

    private String load(String text) {
        return await(redis.send(Request.cmd(Command.SCRIPT).arg("LOAD").arg(text))).toString();
    }

    /** Microseconds per call, as Redis itself counts them. */
    private double measure(IntFunction<Request> calls) {
        await(redis.send(Request.cmd(Command.CONFIG).arg("RESETSTAT")));
        for (int i = 0; i < CALLS; i += BATCH) {
            send(BATCH, calls);
        }
        Matcher stats = EVALSHA.matcher(await(redis.send(Request.cmd(Command.INFO).arg("commandstats"))).toString());
        if (!stats.find()) {
            throw new IllegalStateException("Redis has run no script");
        }
        return Double.parseDouble(stats.group(2)) / Double.parseDouble(stats.group(1));
    }

    private void send(int count, IntFunction<Request> calls) {
        List<Request> batch = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            batch.add(calls.apply(sent++));
        }
        for (Response reply : await(redis.batch(batch))) {
            if (reply.type() == ResponseType.MULTI && reply.get(0).type() == ResponseType.BULK) {
                throw new IllegalStateException(reply.toString());
            }
        }
    }

    private static <T> T await(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
