package io.quarkiverse.ratelimit.docs;

import java.util.List;

import io.quarkiverse.ratelimit.docs.Measured.Range;

/** Draws ratios as bars, in groups of a scale of their own, each with the range of its rounds. */
final class BarChart {

    private static final int NAMES = 262, NUMBERS = 206, BAR = 20, GROUP = 38, TOP = 40, BOTTOM = 34;
    private static final String STYLE = """
            .o{fill:var(--yes)}.q{fill:var(--faint);fill-opacity:.45}.w{stroke:var(--ink)}
            """;

    private BarChart() {
    }

    /** @param aim the least that the first bar should reach, 0 for none */
    record Group(String title, double aim, List<Bar> bars) {
    }

    /** @param own whether it is what all others are there to be compared with */
    record Bar(String name, Range ratio, String number, boolean own) {
    }

    static String of(String title, String legend, List<Group> groups) {
        int height = TOP + BOTTOM + groups.stream().mapToInt(group -> GROUP + group.bars.size() * BAR).sum();
        Svg svg = new Svg(height, title, legend + ".", STYLE);
        svg.text(Svg.RIGHT, 24, "b", "start", title);
        int y = TOP;
        for (Group group : groups) {
            draw(group, y, svg);
            y += GROUP + group.bars.size() * BAR;
        }
        svg.text(Svg.RIGHT, height - 14, "f", "start", legend);
        return svg.finished();
    }

    private static void draw(Group group, int top, Svg svg) {
        double most = group.bars.stream().mapToDouble(bar -> bar.ratio.high()).max().orElse(group.aim);
        double pixels = (Svg.WIDTH - NAMES - NUMBERS) / Math.max(most, group.aim);
        int y = top + GROUP - 12;
        svg.text(Svg.RIGHT, y - 6, "b", "start", group.title);
        for (Bar bar : group.bars) {
            svg.text(NAMES - 8, y + 14, bar.own ? "" : "f", "end", bar.name);
            double width = Math.max(1, bar.ratio.median() * pixels);
            svg.path(bar.own ? "o" : "q", "M" + NAMES + ' ' + (y + 3) + 'h' + Svg.tenths(width) + "v14h-" + Svg.tenths(width));
            svg.path("w", "M" + Svg.tenths(NAMES + bar.ratio.low() * pixels) + ' ' + (y + 10) + 'H'
                    + Svg.tenths(NAMES + bar.ratio.high() * pixels));
            svg.text(Svg.WIDTH - 116, y + 14, bar.own ? "" : "f", "end", Measured.digits(bar.ratio.median()) + " ×");
            svg.text(Svg.WIDTH - Svg.RIGHT, y + 14, "f", "end", bar.number);
            y += BAR;
        }
        if (group.aim > 0) {
            String x = Svg.tenths(NAMES + group.aim * pixels);
            svg.path("l", "M" + x + ' ' + (top + GROUP - 14) + 'V' + (y + 2));
            svg.text(x, top + GROUP - 18, "f", "middle", "aim " + Measured.plain(group.aim) + " ×");
        }
    }
}
