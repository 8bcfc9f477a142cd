package io.quarkiverse.ratelimit.docs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.docs.Run.Request;

/**
 * Draws what an algorithm makes of the traffic as SVG: every request as a mark, in a stack for each half second, and below
 * what is in use. Marks differ by their shapes, and colours follow the reader's light or dark scheme.
 */
final class Picture {

    private static final int WIDTH = 760, LEFT = 44, RIGHT = 16, REQUESTS = 126, STEP = 6, LANE = 22, LEVELS = 62;
    private static final long BIN = Traffic.SECOND / 2;
    private static final double PIXELS = (double) (WIDTH - LEFT - RIGHT) / Traffic.END;
    private static final String STYLE = """
            svg{--ground:#fff;--ink:#24292f;--faint:#6e7781;--grid:#d0d7de;--yes:#0969da;--no:#bc4c00;--fill:#0969da22}
            @media(prefers-color-scheme:dark){svg{--ground:#161b22;--ink:#e6edf3;--faint:#9198a1;--grid:#3d444d;\
            --yes:#58a6ff;--no:#ffa657;--fill:#58a6ff33}}
            text{font:12px system-ui,sans-serif;fill:var(--ink)}.b{font-weight:600;font-size:14px}.f{fill:var(--faint)}
            path{fill:none}.g{stroke:var(--grid)}.p{stroke:var(--grid);fill:var(--ground)}.l{stroke:var(--no);stroke-dasharray:5 4}
            .y{stroke:var(--yes);stroke-width:5.4;stroke-linecap:round}.h{stroke:var(--yes);stroke-width:1.5}
            .n{stroke:var(--no);stroke-width:1.8}.u{stroke:var(--yes);stroke-width:1.6;fill:var(--fill)}
            """;

    private final Pictured pictured;
    private final Run run;
    private final int base;
    private final int zero;
    private final StringBuilder svg = new StringBuilder();

    private Picture(Pictured pictured, Run run) {
        this.pictured = pictured;
        this.run = run;
        this.base = REQUESTS + (pictured.waits() ? LANE : 0);
        this.zero = base + 26 + LEVELS;
    }

    static String of(Pictured pictured, Run run) {
        return new Picture(pictured, run).draw();
    }

    private String draw() {
        int height = zero + 48;
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + WIDTH + ' ' + height + "\" width=\"" + WIDTH
                + "\" height=\"" + height + "\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">" + title()
                + "</title>\n<desc id=\"d\">" + description() + "</desc>\n<style>\n" + STYLE + "</style>\n"
                + "<rect class=\"p\" x=\".5\" y=\".5\" width=\"" + (WIDTH - 1) + "\" height=\"" + (height - 1)
                + "\" rx=\"8\"/>\n");
        text(LEFT, 22, "b", "start", pictured.algorithm());
        text(WIDTH - RIGHT, 22, "f", "end", summary());
        grid();
        marks();
        level();
        legend(height - 10);
        return svg.append("</svg>\n").toString();
    }

    private String title() {
        return pictured.algorithm() + ": " + summary();
    }

    private String summary() {
        return run.admitted() + " of " + run.requests().size() + " requests admitted, at most "
                + (pictured.isConcurrency() ? max() + " at the same time" : run.mostInAnySpan() + " in any 10 s");
    }

    private String description() {
        return Traffic.ALL.stream().map(traffic -> {
            List<Request> part = run.of(traffic);
            return traffic.name() + ": " + part.stream().filter(Request::admitted).count() + " of " + part.size() + " admitted";
        }).collect(Collectors.joining("; ", "", "."));
    }

    private void grid() {
        StringBuilder lines = new StringBuilder();
        for (int second = 0; second <= 60; second += 10) {
            lines.append('M').append(x(second * Traffic.SECOND)).append(" 34V").append(zero);
            text(x(second * Traffic.SECOND), zero + 15, "f", "middle", second + " s");
        }
        path("g", lines.append("M" + LEFT + ' ' + base + "H" + (WIDTH - RIGHT) + "M" + LEFT + ' ' + zero + "H"
                + (WIDTH - RIGHT)).toString());
    }

    /** Admitted requests lie below, so that stacks of them can be compared. */
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
                path(String.valueOf(kind), path.toString());
            }
        }
        if (pictured.waits()) {
            StringBuilder ahead = new StringBuilder();
            run.requests().stream().filter(Request::admitted)
                    .forEach(request -> ahead.append(mark('y', x(request.goesAt()), base - 8)));
            path("g", "M" + LEFT + ' ' + REQUESTS + "H" + (WIDTH - RIGHT));
            path("y", ahead.toString());
            text(LEFT - 6, base - 4, "f", "end", "go");
        }
        text(LEFT - 6, REQUESTS - 4, "f", "end", "asked");
    }

    /** How high the stacks are already when marks of this kind are put on them. */
    private Map<Long, Integer> heights(char kind) {
        Map<Long, Integer> heights = new HashMap<>();
        run.requests().stream().filter(request -> "yhn".indexOf(kind(request)) < "yhn".indexOf(kind))
                .forEach(request -> heights.merge(request.at() / BIN, 1, Integer::sum));
        return heights;
    }

    private static char kind(Request request) {
        return !request.admitted() ? 'n' : request.isHeldBack() ? 'h' : 'y';
    }

    /** A dot, a ring or a cross. */
    private static String mark(char kind, String x, int y) {
        return switch (kind) {
            case 'y' -> "M" + x + ' ' + y + "h0";
            case 'h' -> "M" + x + ' ' + y + "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0";
            default -> "M" + x + ' ' + y + "m-2.2-2.2l4.4 4.4m0-4.4l-4.4 4.4";
        };
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
        path("u", line.append("H" + (WIDTH - RIGHT) + "V" + zero).toString());
        text(LEFT - 6, zero + 4, "f", "end", "0");
        text(LEFT - 6, zero - LEVELS + 4, "f", "end", String.valueOf(most));
        if (!pictured.waits()) {
            path("l", "M" + LEFT + ' ' + (zero - LEVELS) + "H" + (WIDTH - RIGHT));
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
        x = entry(x, y, 'y', pictured.waits() ? "goes ahead" : "admitted", 84);
        x = pictured.waits() ? entry(x, y, 'h', "held back for up to " + pictured.limit().maxWait().toSeconds() + " s", 160)
                : x;
        x = entry(x, y, 'n', "refused", 66);
        path("u", "M" + (x - 4) + ' ' + y + "v-8h14v8");
        text(x + 16, y, "f", "start", pictured.waits() ? "how many are held back"
                : pictured.isConcurrency() ? "how many run, each for " + Run.WORK / Traffic.SECOND + " s"
                        : "permits in use, of " + pictured.limit().burst());
    }

    private int entry(int x, int y, char kind, String text, int width) {
        path(String.valueOf(kind), mark(kind, String.valueOf(x), y - 4));
        text(x + 8, y, "f", "start", text);
        return x + width + 14;
    }

    private void path(String type, String path) {
        svg.append("<path class=\"" + type + "\" d=\"" + path + "\"/>\n");
    }

    private void text(Object x, int y, String type, String anchor, String text) {
        svg.append("<text class=\"" + type + "\" x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" + anchor + "\">" + text
                + "</text>\n");
    }

    /** With one digit after the point. */
    private static String x(long time) {
        long tenths = Math.round((LEFT + time * PIXELS) * 10);
        return tenths % 10 == 0 ? String.valueOf(tenths / 10) : tenths / 10 + "." + tenths % 10;
    }

    private String y(int value, int most) {
        long tenths = Math.round((zero - (double) LEVELS * value / most) * 10);
        return tenths % 10 == 0 ? String.valueOf(tenths / 10) : tenths / 10 + "." + tenths % 10;
    }
}
