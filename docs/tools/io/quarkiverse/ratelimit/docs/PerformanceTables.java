package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes the results of the benchmarks as AsciiDoc tables. */
final class PerformanceTables {

    static final List<String> ROWS = List.of("10 000 keys allowed", "10 000 keys 90 % denied", "one key allowed",
            "one key 90 % denied", "one key 90 % denied refilled at once");
    /** The endpoints of {@code LatencyBenchmark} that this limiter decides. */
    static final List<String> OWN = List.of("through Redis", "with prefetch", "in memory");
    /** How much of a node's processor decisions may take, so that waits for it stay short. */
    private static final double LOAD = 0.7;

    private PerformanceTables() {
    }

    /** By the tables' names. */
    static Map<String, String> all() throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("aims", PerformanceAims.table());
        all.put("peers", peers());
        all.put("http", http());
        all.put("latency", latency());
        all.put("local", local());
        all.put("start", start());
        all.put("memory", memory());
        all.put("capacity", capacity());
        all.put("sizing", sizing());
        all.put("limits", RedisSizing.limits());
        all.put("example", RedisSizing.example());
        all.put("script", script());
        all.put("features", FeatureCosts.table());
        return all;
    }

    private static String peers() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"4,2,3,3,2,2,2\"]\n|===\n|Contender |Per second |To bare Netty"
                + " |To the best peer |Client µs |Redis µs |Calls of Redis per decision\n\n");
        for (String row : ROWS) {
            table.append("7+|*" + row + "*\n\n");
            for (Measured one : Measured.by("peers")) {
                if (one.text("row").equals(row)) {
                    table.append("|" + one.text("contender") + "\n|" + Measured.digits(one.number("per_second")) + "\n|"
                            + one.range("to_netty") + "\n|" + one.range("to_best_peer") + "\n|"
                            + Measured.digits(one.number("client_us")) + "\n|" + Measured.digits(one.number("redis_us")) + "\n|"
                            + Measured.digits(one.number("round_trips")) + "\n\n");
                }
            }
        }
        return table.append("|===\n").toString();
    }

    private static String http() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"4,2,3,3,3\"]\n|===\n|Endpoint |Requests per second |To unlimited"
                + " |Processor time, µs |To unlimited\n\n");
        for (String mode : List.of("10 000 callers through Redis", "through Redis", "in memory", "locally",
                "one caller through Redis",
                "one caller in memory")) {
            List<HttpResult> results = HttpResult.of(mode);
            table.append(results.isEmpty() ? "" : "5+|*" + mode + "*\n\n");
            for (HttpResult one : results) {
                table.append("|" + one.endpoint() + "\n|" + Measured.digits(one.perSecond().median()) + "\n|" + one.ratio()
                        + "\n|" + one.micros() + "\n|" + one.microsRatio() + "\n\n");
            }
        }
        return table.append("|===\n").toString();
    }

    private static String latency() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"4,3,3,3,3\"]\n|===\n|Endpoint |p50, ms |p99, ms |p99.9, ms"
                + " |p99 to unlimited\n\n");
        String load = "";
        for (Measured one : Measured.by("latency")) {
            if (!one.text("load").equals(load)) {
                load = one.text("load");
                table.append("5+|*" + load + ": " + Measured.digits(one.number("per_second")) + " requests per second*\n\n");
            }
            table.append("|" + one.text("endpoint") + "\n|" + one.range("p50") + "\n|" + one.range("p99") + "\n|"
                    + one.range("p999") + "\n|" + one.range("p99_to_unlimited") + "\n\n");
        }
        return table.append("|===\n").toString();
    }

    private static String local() throws IOException {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("compareAndSet", "a bare compare-and-set of a number");
        names.put("compareAndSetTime", "a compare-and-set of the time");
        names.put("allowed", "a token bucket's arithmetic, allowed");
        names.put("denied", "a token bucket's arithmetic, denied");
        names.put("oneKey", "the whole store in memory, one caller");
        names.put("manyKeys", "the whole store in memory, 10 000 callers");
        names.put("bucket4jOneKey", "Bucket4j, one caller");
        names.put("bucket4jManyKeys", "Bucket4j, 10 000 callers");
        names.put("resilience4jOneKey", "Resilience4j, one caller");
        names.put("resilience4jManyKeys", "Resilience4j, 10 000 callers");
        StringBuilder table = new StringBuilder("[cols=\"5,1,3,3,3,1\"]\n|===\n|What |Threads |ns |To the bare compare-and-set"
                + " |To that of the time |Bytes made\n\n");
        for (Map.Entry<String, String> name : names.entrySet()) {
            for (Measured line : Measured.by("local")) {
                if (line.text("decision").equals(name.getKey())) {
                    table.append("|" + name.getValue() + "\n|" + line.text("threads") + "\n|" + line.range("ns") + "\n|"
                            + line.range("to_cas") + "\n|" + line.range("to_cas_of_time") + "\n|" + line.text("bytes")
                            + "\n\n");
                }
            }
        }
        return table.append("|===\n").toString();
    }

    private static String script() throws IOException {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("token bucket", "`token-bucket`");
        names.put("token bucket 16 in one call", "`token-bucket`, 16 decisions in one script call");
        names.put("token bucket interval", "`token-bucket` with `refill=interval`");
        names.put("fixed window", "`fixed-window`");
        names.put("fixed window calendar", "`fixed-window` with `calendar`");
        names.put("sliding window", "`sliding-window`");
        names.put("sliding log", "`sliding-log`");
        names.put("concurrency", "`concurrency`");
        names.put("time and state", "only `TIME`, `GET` and, if allowed, `SET`");
        StringBuilder table = new StringBuilder("[cols=\"3,2,2\"]\n|===\n|Algorithm |Allowed |Denied\n\n");
        for (Map.Entry<String, String> name : names.entrySet()) {
            row(table, name.getValue(), name.getKey(), "to_hash");
        }
        row(table, "the usual token bucket, µs", "hash bucket", "us");
        return table.append("|===\n").toString();
    }

    private static void row(StringBuilder table, String name, String script, String column) throws IOException {
        table.append("|" + name);
        for (Measured line : Measured.by("script")) {
            if (line.text("script").equals(script)) {
                table.append("\n|" + line.range(column));
            }
        }
        table.append("\n\n");
    }

    private static String start() throws IOException {
        StringBuilder table = new StringBuilder(
                "[cols=\"4,3,3,3,3\"]\n|===\n|Application |Until the first response, ms |\"Started in\", ms |Processor time, ms"
                        + " |Memory, MB\n\n");
        for (Measured line : Measured.by("start")) {
            String application = line.text("application");
            if (!application.contains(" to ") && !application.contains(" minus ")) {
                table.append("|" + application + "\n|" + line.range("ms") + "\n|" + line.range("started_ms") + "\n|" + line.range("cpu_ms") + "\n|"
                        + line.range("mb") + "\n\n");
            }
        }
        return table.append("|===\n").toString();
    }

    private static String memory() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"2,1\"]\n|===\n|Keys |Bytes of Redis' memory per key\n\n");
        for (Measured size : Measured.by("growth")) {
            if (showsMemory(size)) {
                table.append("|" + Measured.digits(size.number("size")) + "\n|"
                        + Measured.digits(Math.round(size.number("bytes_per_key"))) + "\n\n");
            }
        }
        return table.append("|===\n").toString();
    }

    /** Whether there are enough keys to measure what one takes. */
    static boolean showsMemory(Measured size) {
        return size.text("part").equals("keys") && size.number("size") >= 10_000;
    }

    private static String capacity() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"5,2,2\"]\n|===\n|Load |Redis µs per decision |One node\n\n");
        for (Measured size : Measured.by("growth")) {
            if (size.text("part").equals("in flight") && List.of("1", "64").contains(size.text("size"))) {
                capacity(table, "10 000 callers, " + size.text("size") + " in flight", size.number("redis_us"));
            }
            if (size.text("part").equals("limits") && size.text("size").equals("4")) {
                capacity(table, "10 000 callers, 64 in flight, 4 limits per call", size.number("redis_us"));
            }
        }
        capacity(table, "10 000 callers, 64 in flight, one script call per decision", separateCalls());
        for (Measured size : Measured.by("growth")) {
            if (size.text("part").equals("keys") && size.text("size").equals("1")) {
                capacity(table, "one caller, 64 in flight, merged", size.number("redis_us"));
            }
        }
        return table.append("|===\n").toString();
    }

    private static void capacity(StringBuilder table, String load, double micros) {
        table.append("|" + load + "\n|" + Measured.digits(micros) + "\n|" + perSecond(micros) + "/s\n\n");
    }

    private static String perSecond(double micros) {
        return Measured.digits(Math.round(LOAD * 1e6 / micros / 1000) * 1000);
    }

    /** The bare Netty client sends each decision as a call of its own. */
    private static double separateCalls() throws IOException {
        return Measured.by("peers").stream()
                .filter(one -> one.text("row").equals(ROWS.get(0)) && one.text("contender").startsWith("bare Netty"))
                .findFirst().orElseThrow().number("redis_us");
    }

    private static String sizing() throws IOException {
        StringBuilder table = new StringBuilder(
                "[cols=\"2,2,2\"]\n|===\n|In flight per event loop |Redis µs per decision |Decisions per second of one node\n\n");
        for (Measured size : Measured.by("growth")) {
            if (size.text("part").equals("in flight") && size.number("size") <= 64) {
                double micros = size.number("redis_us");
                table.append("|" + size.text("size") + "\n|" + Measured.digits(micros) + "\n|" + perSecond(micros) + "\n\n");
            }
        }
        return table.append("|===\n").toString();
    }
}
