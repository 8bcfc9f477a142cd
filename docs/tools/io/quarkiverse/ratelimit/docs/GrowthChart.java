package io.quarkiverse.ratelimit.docs;

import java.util.List;

import io.quarkiverse.ratelimit.docs.Measured.Range;

/** Draws in four panels how a decision's cost grows; both axes are logarithmic, so that what is flat stays the same. */
final class GrowthChart {

    private static final int TOP = 46, PANEL_WIDTH = 352, PANEL_HEIGHT = 192, PLOT_LEFT = 62, PLOT_WIDTH = 282, PLOT_TOP = 28,
            PLOT_HEIGHT = 118;
    private static final double[] TICKS = { 0.1, 1, 10, 100, 1000 };
    private static final double LEAST = TICKS[0], MOST = TICKS[TICKS.length - 1];
    private static final String STYLE = """
            .y2{stroke:var(--yes)}.n2{stroke:var(--no)}.y1{stroke:var(--yes);stroke-width:1.6}.n1{stroke:var(--no);stroke-width:1.6;stroke-dasharray:7 3}
            """;

    private final Svg svg;

    private GrowthChart(Svg svg) {
        this.svg = svg;
    }

    record Panel(String part, String title) {
    }

    static String of(String title, List<Panel> panels, List<Measured> measured) {
        int height = TOP + (panels.size() + 1) / 2 * PANEL_HEIGHT + 34;
        Svg svg = new Svg(height, title, "Microseconds per decision: " + panels.stream().map(Panel::title).toList() + ".",
                STYLE);
        svg.text(Svg.RIGHT, 26, "b", "start", title);
        for (int i = 0; i < panels.size(); i++) {
            Panel panel = panels.get(i);
            new GrowthChart(svg).draw(panel, measured.stream().filter(one -> one.text("part").equals(panel.part)).toList(),
                    Svg.RIGHT + i % 2 * (PANEL_WIDTH + 16), TOP + i / 2 * PANEL_HEIGHT);
        }
        int y = height - 14;
        svg.path("y1", "M" + Svg.RIGHT + ' ' + (y - 4) + "h26");
        svg.path("y", Svg.mark('y', String.valueOf(Svg.RIGHT + 13), y - 4));
        svg.text(Svg.RIGHT + 34, y, "f", "start", "time that passes per decision");
        svg.path("n1", "M256 " + (y - 4) + "h26");
        svg.path("n", Svg.mark('n', "269", y - 4));
        svg.text(290, y, "f", "start", "processor time of Redis; upright lines: lowest to highest round");
        return svg.finished();
    }

    private void draw(Panel panel, List<Measured> sizes, int left, int top) {
        svg.text(left, top + 14, "", "start", panel.title);
        StringBuilder grid = new StringBuilder();
        for (double micros : TICKS) {
            String y = y(micros, top);
            grid.append("M" + (left + PLOT_LEFT) + ' ' + y + 'h' + PLOT_WIDTH);
            svg.text(left + PLOT_LEFT - 6, (int) Double.parseDouble(y) + 4, "f", "end",
                    Measured.plain(micros) + " µs");
        }
        for (Measured size : sizes) {
            grid.append("M" + x(size, sizes, left) + ' ' + (top + PLOT_TOP) + 'v' + PLOT_HEIGHT);
            svg.text(x(size, sizes, left), top + PLOT_TOP + PLOT_HEIGHT + 16, "f", "middle", exponent(size.text("size")));
        }
        svg.path("g", grid.toString());
        line('n', "redis_us", sizes, left, top);
        line('y', "us", sizes, left, top);
    }

    private void line(char kind, String column, List<Measured> sizes, int left, int top) {
        StringBuilder line = new StringBuilder(), ranges = new StringBuilder(), marks = new StringBuilder();
        for (Measured size : sizes) {
            Range range = size.range(column);
            String x = x(size, sizes, left), y = y(range.median(), top);
            line.append(line.isEmpty() ? 'M' : 'L').append(x).append(' ').append(y);
            ranges.append("M" + x + ' ' + y(range.low(), top) + 'V' + y(range.high(), top));
            marks.append(Svg.mark(kind, x, y));
        }
        if (!sizes.isEmpty()) {
            svg.path(kind + "1", line.toString());
            svg.path(kind + "2", ranges.toString());
            svg.path(String.valueOf(kind), marks.toString());
        }
    }

    private static String x(Measured size, List<Measured> sizes, int left) {
        double first = Math.log(sizes.get(0).number("size")), last = Math.log(sizes.get(sizes.size() - 1).number("size"));
        return Svg.tenths(left + PLOT_LEFT + 10 + (PLOT_WIDTH - 20) * (Math.log(size.number("size")) - first) / (last - first));
    }

    private static String y(double micros, int top) {
        return Svg.tenths(top + PLOT_TOP
                + PLOT_HEIGHT * (Math.log(MOST) - Math.log(micros)) / (Math.log(MOST) - Math.log(LEAST)));
    }

    /** Powers of ten beyond a thousand are written short. */
    private static String exponent(String size) {
        return switch (size) {
            case "10000" -> "10⁴";
            case "100000" -> "10⁵";
            case "1000000" -> "10⁶";
            default -> Measured.plain(Double.parseDouble(size));
        };
    }
}
