package io.quarkiverse.ratelimit.docs;

import static io.quarkiverse.ratelimit.docs.Svg.LEFT;
import static io.quarkiverse.ratelimit.docs.Svg.RIGHT;
import static io.quarkiverse.ratelimit.docs.Svg.WIDTH;
import static io.quarkiverse.ratelimit.docs.Svg.mark;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.docs.Run.Request;

/**
 * Draws what an algorithm makes of the traffic as SVG: every request as a mark, in a stack for each half second, and below
 * what is in use. Marks differ by their shapes.
 */
final class Picture {

    private static final int REQUESTS = 126, STEP = 6, DELAYED = 22, LEVELS = 62;
    private static final long BIN = Traffic.SECOND / 2;
    private static final double PIXELS = (double) (WIDTH - LEFT - RIGHT) / Traffic.END;

    private final PicturedLimit pictured;
    private final Run run;
    private final int base;
    private final int zero;
    private final Svg svg;

    private Picture(PicturedLimit pictured, Run run) {
        this.pictured = pictured;
        this.run = run;
        this.base = REQUESTS + (pictured.waits() ? DELAYED : 0);
        this.zero = base + 26 + LEVELS;
        this.svg = new Svg(zero + 48, title(), description());
    }

    static String of(PicturedLimit pictured, Run run) {
        return new Picture(pictured, run).draw();
    }

    private String draw() {
        svg.text(LEFT, 22, "b", "start", pictured.algorithm());
        svg.text(WIDTH - RIGHT, 22, "f", "end", summary());
        grid();
        marks();
        level();
        legend(zero + 38);
        return svg.finished();
    }

    private String title() {
        return pictured.algorithm() + ": " + summary();
    }

    private String summary() {
        return run.allowed() + " of " + run.requests().size() + " requests allowed, at most "
                + (pictured.isConcurrency() ? max() + " at the same time" : run.mostInAnySpan() + " in any 10 s");
    }

    private String description() {
        return Traffic.ALL.stream().map(traffic -> {
            List<Request> part = run.of(traffic);
            return traffic.name() + ": " + part.stream().filter(Request::allowed).count() + " of " + part.size() + " allowed";
        }).collect(Collectors.joining("; ", "", "."));
    }

    private void grid() {
        StringBuilder lines = new StringBuilder();
        for (int second = 0; second <= 60; second += 10) {
            lines.append('M').append(x(second * Traffic.SECOND)).append(" 34V").append(zero);
            svg.text(x(second * Traffic.SECOND), zero + 15, "f", "middle", second + " s");
        }
        svg.path("g", lines.append("M" + LEFT + ' ' + base + "H" + (WIDTH - RIGHT) + "M" + LEFT + ' ' + zero + "H"
                + (WIDTH - RIGHT)).toString());
    }

    /** Allowed requests lie below, so that stacks of them can be compared. */
    private void marks() {
        Map<Character, StringBuilder> paths = new HashMap<>();
        for (char kind : "yhn".toCharArray()) {
            Map<Long, Integer> stacks = heights(kind);
            StringBuilder path = paths.computeIfAbsent(kind, ignored -> new StringBuilder());
            run.requests().stream().filter(request -> kind(request) == kind).forEach(request -> {
                int place = stacks.merge(request.at() / BIN, 1, Integer::sum);
                path.append(mark(kind, x(request.at() / BIN * BIN + BIN / 2), REQUESTS + 2 - place * STEP));
            });
            if (!path.isEmpty()) {
                svg.path(String.valueOf(kind), path.toString());
            }
        }
        if (pictured.waits()) {
            StringBuilder ahead = new StringBuilder();
            run.requests().stream().filter(Request::allowed)
                    .forEach(request -> ahead.append(mark('y', x(request.goesAt()), base - 8)));
            svg.path("g", "M" + LEFT + ' ' + REQUESTS + "H" + (WIDTH - RIGHT));
            svg.path("y", ahead.toString());
            svg.text(LEFT - 6, base - 4, "f", "end", "go");
        }
        svg.text(LEFT - 6, REQUESTS - 4, "f", "end", "calls");
    }

    /** How high the stacks are already when marks of this kind are put on them. */
    private Map<Long, Integer> heights(char kind) {
        Map<Long, Integer> heights = new HashMap<>();
        run.requests().stream().filter(request -> "yhn".indexOf(kind(request)) < "yhn".indexOf(kind))
                .forEach(request -> heights.merge(request.at() / BIN, 1, Integer::sum));
        return heights;
    }

    private static char kind(Request request) {
        return !request.allowed() ? 'n' : request.isDelayed() ? 'h' : 'y';
    }

    private void level() {
        int[] level = run.level();
        int most = pictured.waits() ? Math.max(1, max()) : (int) pictured.limit().burst();
        StringBuilder line = new StringBuilder("M" + LEFT + ' ' + zero);
        for (int tick = 1; tick < level.length; tick++) {
            if (level[tick] != level[tick - 1]) {
                line.append('H').append(x(tick * Traffic.TICK)).append('V').append(y(level[tick], most));
            }
        }
        svg.path("u", line.append("H" + (WIDTH - RIGHT) + "V" + zero).toString());
        svg.text(LEFT - 6, zero + 4, "f", "end", "0");
        svg.text(LEFT - 6, zero - LEVELS + 4, "f", "end", String.valueOf(most));
        if (!pictured.waits()) {
            svg.path("l", "M" + LEFT + ' ' + (zero - LEVELS) + "H" + (WIDTH - RIGHT));
        }
    }

    private int max() {
        int max = 0;
        for (int level : run.level()) {
            max = Math.max(max, level);
        }
        return max;
    }

    private void legend(int y) {
        int x = LEFT + 6;
        x = entry(x, y, 'y', pictured.waits() ? "proceeds" : "allowed", 84);
        x = pictured.waits() ? entry(x, y, 'h', "delayed by up to " + pictured.limit().maxWait().toSeconds() + " s", 160)
                : x;
        x = entry(x, y, 'n', "denied", 66);
        svg.path("u", "M" + (x - 4) + ' ' + y + "v-8h14v8");
        svg.text(x + 16, y, "f", "start", pictured.waits() ? "delayed requests"
                : pictured.isConcurrency() ? "how many run, each for " + Run.WORK / Traffic.SECOND + " s"
                        : "permits in use, of " + pictured.limit().burst());
    }

    private int entry(int x, int y, char kind, String text, int width) {
        svg.path(String.valueOf(kind), mark(kind, String.valueOf(x), y - 4));
        svg.text(x + 8, y, "f", "start", text);
        return x + width + 14;
    }

    private static String x(long time) {
        return Svg.tenths(LEFT + time * PIXELS);
    }

    private String y(int value, int most) {
        return Svg.tenths(zero - (double) LEVELS * value / most);
    }
}
