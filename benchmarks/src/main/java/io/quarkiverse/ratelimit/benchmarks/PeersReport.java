package io.quarkiverse.ratelimit.benchmarks;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Prints a comparison, stores it in {@code results/peers.csv}, and reports implausible results. */
final class PeersReport {

    private static final double TOLERATED = 0.05;

    private final Results results = new Results("peers", "row", "contender", "per_second", "low", "high", "to_netty",
            "to_best_peer", "client_us", "redis_us", "round_trips", "allowed", "failed", "to_netty_low", "to_netty_high",
            "to_best_peer_low", "to_best_peer_high", "client_to_netty", "client_to_netty_low", "client_to_netty_high",
            "redis_to_gateway", "redis_to_gateway_low", "redis_to_gateway_high");

    void add(Row row, Map<Contender, List<Turn>> turns) throws Exception {
        List<Turn> netty = turnsOf(BareNetty.NAME, turns);
        List<Turn> gateway = turnsOf(GatewayScript.NAME, turns);
        Contender best = turns.keySet().stream().filter(Contender::isPeer)
                .max(Comparator.comparingDouble(peer -> range(turns.get(peer), Turn::perSecond).median())).orElseThrow();
        System.out.printf("%n%s, the best peer is %s%n%n| | decisions | to bare Netty | to the best peer | client us | to"
                + " bare Netty | Redis us | to the gateway's | round trips | allowed |%n|%s%n", row.title, best.name(),
                " --- |".repeat(10));
        turns.forEach((contender, its) -> {
            Tally all = its.stream().map(Turn::tally).reduce(Tally.NONE, Tally::plus);
            Range perSecond = range(its, Turn::perSecond);
            Range toNetty = ratio(its, netty, Turn::perSecond);
            Range toBest = ratio(its, turns.get(best), Turn::perSecond);
            Range clientToNetty = ratio(its, netty, Turn::clientMicrosEach);
            Range redisToGateway = ratio(its, gateway, Turn::redisMicrosEach);
            double client = median(its, Turn::clientMicrosEach);
            double inRedis = median(its, Turn::redisMicrosEach);
            double sent = median(its, Turn::sentEach);
            results.add(row.title, contender.name(), perSecond.median(), perSecond.low(), perSecond.high(), toNetty.median(),
                    toBest.median(), client, inRedis, sent, all.allowedShare(), all.failed(), toNetty.low(), toNetty.high(),
                    toBest.low(), toBest.high(), clientToNetty.median(), clientToNetty.low(), clientToNetty.high(),
                    redisToGateway.median(), redisToGateway.low(), redisToGateway.high());
            System.out.printf(Locale.ROOT,
                    "| %s | %,.0f/s (%,.0f to %,.0f) | %s | %s | %.2f | %s | %.2f | %s | %.3f | %.1f %% |%n",
                    contender.name(), perSecond.median(), perSecond.low(), perSecond.high(), shown(toNetty), shown(toBest),
                    client, shown(clientToNetty), inRedis, shown(redisToGateway), sent, 100 * all.allowedShare());
            if (all.failed() > 0) {
                System.out.printf("FAILED: %s %d times, first: %s%n", contender.name(), all.failed(), all.failure());
            }
            if (row.dependsOnSpeed()) {
                System.out.printf(Locale.ROOT, "%s: %+.1f %% (%+.1f to %+.1f) over the limit%n", contender.name(),
                        range(its, Turn::overLimit).median(), range(its, Turn::overLimit).low(),
                        range(its, Turn::overLimit).high());
            }
            if (Math.abs(all.allowedShare() - row.allowed) > TOLERATED) {
                System.out.printf("WRONG: %s should allow about %.0f %%%n", contender.name(), 100 * row.allowed);
            }
        });
        results.write();
    }

    private static List<Turn> turnsOf(String name, Map<Contender, List<Turn>> turns) {
        return turns.entrySet().stream().filter(one -> one.getKey().name().equals(name)).findFirst().orElseThrow().getValue();
    }

    private static double median(List<Turn> turns, ToDoubleFunction<Turn> number) {
        return range(turns, number).median();
    }

    private static Range range(List<Turn> turns, ToDoubleFunction<Turn> number) {
        return Range.of(turns.size(), i -> number.applyAsDouble(turns.get(i)));
    }

    /** Of the numbers of two contenders in the same rounds. */
    private static Range ratio(List<Turn> turns, List<Turn> others, ToDoubleFunction<Turn> number) {
        return Range.of(turns.size(), i -> number.applyAsDouble(turns.get(i)) / number.applyAsDouble(others.get(i)));
    }

    private static String shown(Range ratio) {
        return ratio.median() >= 0.1 ? ratio.toString()
                : String.format(Locale.ROOT, "**%.3f** (%.3f to %.3f)", ratio.median(), ratio.low(), ratio.high());
    }
}
