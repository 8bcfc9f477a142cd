package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.List;

import io.quarkiverse.ratelimit.docs.Measured.Range;

/** Writes what each feature costs, as far as a benchmark has measured it. */
final class FeatureCosts {

    private final StringBuilder table = new StringBuilder("[cols=\"4,3,3\"]\n|===\n|Feature |Measured |Compared with\n\n");

    private FeatureCosts() {
    }

    static String table() throws IOException {
        FeatureCosts costs = new FeatureCosts();
        costs.addRequests();
        costs.addRedis();
        costs.addStart();
        return costs.table.append("|===\n").toString();
    }

    private void addRequests() throws IOException {
        table.append("3+|*Requests per second over HTTP*\n\n");
        http("a limit", "through Redis", "allowed");
        http("a denied request", "through Redis", "denied");
        http("a request that the denial cache denies", "through Redis", "denied by the denial cache");
        http("a limit with `prefetch`, all callers share the key", "through Redis", "one key allowed with prefetch");
        http("a limit with `store=memory`", "in memory", "allowed");
        http("a limit while Redis is unavailable, `local`", "locally", "allowed");
    }

    private void http(String feature, String decided, String endpoint) throws IOException {
        Range ratio = HttpResult.of(decided).stream().filter(one -> one.endpoint().equals(endpoint)).findFirst().orElseThrow()
                .ratio();
        row(feature, ratio + " times", "an endpoint without limit");
    }

    private void addRedis() throws IOException {
        table.append("3+|*Processor time of Redis for a decision*\n\n");
        for (String limits : List.of("2", "4", "8")) {
            row(limits + " limits", Measured.digits(RedisSizing.toOneLimit(find("growth", "part", "limits", "size", limits)))
                    + " times", "1 limit");
        }
        Range bucket = script("token bucket");
        for (String algorithm : List.of("fixed window", "sliding window", "sliding log", "concurrency")) {
            row('`' + algorithm.replace(' ', '-') + '`',
                    Measured.digits(script(algorithm).median() / bucket.median()) + " times", "`token-bucket`");
        }
        for (String policies : List.of("two policies that must both allow", "an overflow that is not needed",
                "an overflow that is used")) {
            policies(policies, "");
            policies(policies, " 9 in one call");
        }
        peers("10 000 callers, 9 of 10 calls denied: the denial cache", "10 000 keys 90 % denied", "without denial cache");
        peers("one caller, all calls allowed: `prefetch`", "one key allowed", "with prefetch");
    }

    private void policies(String policies, String together) throws IOException {
        row(policies + together.replace(" 9", ", 9"),
                Measured.digits(script(policies + together).median() / script("one policy" + together).median()) + " times",
                "one policy" + together.replace(" 9", ", 9"));
    }

    private static Range script(String name) throws IOException {
        return find("script", "script", name, "decision", "allowed").range("to_hash");
    }

    /** The default has the denial cache and no prefetch. */
    private void peers(String feature, String row, String other) throws IOException {
        String usual = Measured.digits(peer(row, "quarkus-rate-limit")) + " µs";
        String changed = Measured.digits(peer(row, "quarkus-rate-limit " + other)) + " µs";
        boolean without = other.startsWith("without");
        row(feature, without ? usual : changed, (without ? changed : usual) + " without it");
    }

    private static double peer(String row, String contender) throws IOException {
        return find("peers", "row", row, "contender", contender).number("redis_us");
    }

    private void addStart() throws IOException {
        table.append("3+|*Time from the start to the first response*\n\n");
        Range none = start("without limits"), one = start("store=redis with 1 policy"),
                more = start("store=redis with 26 policies"), memory = start("store=memory with 1 policy");
        row("the extension with `store=redis`", one + " ms",
                start("one INCR per request") + " ms with one `INCR` per request, " + none + " ms without Redis");
        row("the extension with `store=memory`", memory + " ms",
                start("SmallRye @RateLimit") + " ms with SmallRye `@RateLimit`, " + none + " ms without a limiter");
        row("25 more policies", more + " ms", one + " ms");
    }

    private static Range start(String application) throws IOException {
        return Measured.by("start").stream().filter(line -> line.text("application").equals(application)).findFirst()
                .orElseThrow().range("ms");
    }

    private static Measured find(String benchmark, String column, String value, String other, String its) throws IOException {
        return Measured.by(benchmark).stream()
                .filter(line -> line.text(column).equals(value) && line.text(other).equals(its)).findFirst().orElseThrow();
    }

    private void row(String feature, String measured, String compared) {
        table.append("|" + feature + "\n|" + measured + "\n|" + compared + "\n\n");
    }
}
