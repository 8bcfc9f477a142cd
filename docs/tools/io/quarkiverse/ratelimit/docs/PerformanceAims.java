package io.quarkiverse.ratelimit.docs;

import static io.quarkiverse.ratelimit.docs.PerformanceTables.ROWS;

import java.io.IOException;
import java.util.List;

import io.quarkiverse.ratelimit.docs.Measured.Range;

/** The aims for performance, beside what the benchmarks have measured. */
final class PerformanceAims {

    private static final String OWN = "quarkus-rate-limit";

    private PerformanceAims() {
    }

    /** The table as AsciiDoc. */
    static String table() throws IOException {
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
        for (Measured own : measured(ROWS.get(2), OWN + " with prefetch")) {
            atLeast(table, 2, own.range("to_best_peer"), "one caller with prefetch, all allowed, to the best peer");
            atMost(table, 0.001, one(own.number("round_trips")), "one caller with prefetch, calls of Redis per decision");
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
        for (Measured line : Measured.by("start")) {
            start(table, line);
        }
        return table.append("|===\n").toString();
    }

    private static void start(StringBuilder table, Measured line) {
        switch (line.text("application")) {
            case "store=redis with 1 policy to one INCR per request" ->
                atMost(table, 1.1, line.range("ms"), "time of a start through Redis to that with one `INCR` per request");
            case "store=memory with 1 policy to SmallRye @RateLimit" ->
                atMost(table, 1.1, line.range("ms"), "time of a start in memory to that with SmallRye `@RateLimit`");
            case "store=memory with 1 policy minus SmallRye @RateLimit" ->
                atMost(table, 15, line.range("mb"), "megabytes more in memory than with SmallRye `@RateLimit`");
            case "store=memory with 26 policies minus store=memory with 1 policy per policy" ->
                atMost(table, 1, line.range("ms"), "milliseconds of a start for each further policy, in memory");
            case "store=redis with 26 policies minus store=redis with 1 policy per policy" ->
                atMost(table, 1, line.range("ms"), "milliseconds of a start for each further policy, through Redis");
            default -> {
                // has no aim
            }
        }
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
        return measured(row, OWN);
    }

    private static List<Measured> measured(String row, String contender) throws IOException {
        return Measured.by("peers").stream()
                .filter(one -> one.text("row").equals(row) && one.text("contender").equals(contender)).toList();
    }
}
