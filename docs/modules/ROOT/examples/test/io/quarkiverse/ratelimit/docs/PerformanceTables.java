package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.docs.Measured.Range;

/** Writes the results of the benchmarks as AsciiDoc tables. */
final class PerformanceTables {

    private static final String OWN = "quarkus-rate-limit";
    private static final List<String> ROWS = List.of("10 000 keys allowed", "10 000 keys 90 % denied", "one key allowed",
            "one key 90 % denied", "one key 90 % denied refilled at once");
    /** How much of a node's processor decisions may take, so that waits for it stay short. */
    private static final double LOAD = 0.7;

    private PerformanceTables() {
    }

    /** By the tables' names. */
    static Map<String, String> all() throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("aims", aims());
        all.put("peers", peers());
        all.put("http", http());
        all.put("local", local());
        all.put("memory", memory());
        all.put("capacity", capacity());
        all.put("sizing", sizing());
        return all;
    }

    private static String aims() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"6,2,3,1\"]\n|===\n|What |Aim |Measured |Met\n\n");
        for (Measured own : own(ROWS.get(0))) {
            atLeast(table, 0.80, own.range("to_netty"), "decisions per second to a bare Netty client, all allowed");
            atLeast(table, 2, own.range("to_best_peer"), "decisions per second to the best peer, all allowed");
            atMost(table, 2, own.range("client_to_netty"),
                    "processor time of the application per decision to that of the bare Netty client");
            atMost(table, 0.6, own.range("redis_to_gateway"),
                    "processor time of Redis per decision to that of the script of Spring Cloud Gateway");
            atMost(table, 1, one(own.number("round_trips")), "calls of Redis per decision");
        }
        for (Measured own : own(ROWS.get(1))) {
            atLeast(table, 0.70, own.range("to_netty"), "decisions per second to a bare Netty client, nine of ten denied");
            atLeast(table, 1.8, own.range("to_best_peer"), "decisions per second to the best peer, nine of ten denied");
        }
        for (Measured own : own(ROWS.get(2))) {
            atLeast(table, 1.2, own.range("to_best_peer"), "one caller, all allowed, to the best peer");
            atMost(table, 0.1, one(own.number("round_trips")), "one caller, calls of Redis per decision");
        }
        for (Measured own : own(ROWS.get(3))) {
            atLeast(table, 2, own.range("to_best_peer"), "one caller, nine of ten denied, to the best peer");
        }
        for (Measured own : own(ROWS.get(4))) {
            atLeast(table, 2, own.range("to_best_peer"), "the same, where all permits come back together");
        }
        for (HttpResult result : HttpResult.of("through Redis")) {
            if (result.endpoint().equals("allowed")) {
                atLeast(table, 0.70, result.ratio(), "requests per second over HTTP to an unlimited endpoint, through Redis");
                atMost(table, 1.4, result.microsRatio(),
                        "processor time of the application per request to an unlimited endpoint, through Redis");
            }
        }
        for (HttpResult result : HttpResult.of("in memory")) {
            if (result.endpoint().equals("allowed")) {
                atLeast(table, 0.92, result.ratio(), "requests per second over HTTP to an unlimited endpoint, in memory");
            }
        }
        one(table, "one caller through Redis", "allowed with prefetch", "with prefetch");
        one(table, "one caller in memory", "allowed", "in memory");
        for (Measured line : Measured.by("local")) {
            if (line.text("threads").equals("1") && line.text("decision").equals("allowed")) {
                atMost(table, 1.3, line.range("to_cas_of_time"),
                        "a token bucket's arithmetic in memory to a compare-and-set of the time");
            }
        }
        return table.append("|===\n").toString();
    }

    private static void one(StringBuilder table, String mode, String endpoint, String name) throws IOException {
        for (HttpResult result : HttpResult.of(mode)) {
            if (result.endpoint().equals(endpoint)) {
                atLeast(table, 0.95, result.ratio(), "one caller, requests per second over HTTP to unlimited, " + name);
                atMost(table, 1.15, result.microsRatio(), "one caller, processor time per request to unlimited, " + name);
            }
        }
    }

    private static void atLeast(StringBuilder table, double aim, Range measured, String what) {
        row(table, what, "at least " + Measured.plain(aim), measured, measured.median() >= aim);
    }

    private static void atMost(StringBuilder table, double aim, Range measured, String what) {
        row(table, what, "at most " + Measured.plain(aim), measured, measured.median() <= aim);
    }

    private static void row(StringBuilder table, String what, String aim, Range measured, boolean met) {
        String numbers = measured.low() == measured.high() ? Measured.digits(measured.median()) : measured.toString();
        table.append("|" + what + "\n|" + aim + "\n|" + numbers + "\n|" + (met ? "yes" : "*no*") + "\n\n");
    }

    private static Range one(double number) {
        return new Range(number, number, number);
    }

    /** What was measured of the extension, if it was. */
    private static List<Measured> own(String row) throws IOException {
        return Measured.by("peers").stream()
                .filter(one -> one.text("row").equals(row) && one.text("contender").equals(OWN)).toList();
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
        for (String mode : List.of("through Redis", "in memory", "locally", "one caller through Redis",
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

    private static String memory() throws IOException {
        StringBuilder table = new StringBuilder("[cols=\"2,1\"]\n|===\n|Keys |Bytes of Redis' memory per key\n\n");
        for (Measured size : Measured.by("growth")) {
            if (size.text("part").equals("keys") && size.number("size") >= 10_000) {
                table.append("|" + Measured.digits(size.number("size")) + "\n|"
                        + Measured.digits(Math.round(size.number("bytes_per_key"))) + "\n\n");
            }
        }
        return table.append("|===\n").toString();
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
