package io.quarkiverse.ratelimit.docs;

import java.util.Locale;

/** A drawing as wide as a page, whose colours follow the reader's light or dark scheme. */
final class Svg {

    static final int WIDTH = 760, LEFT = 44, RIGHT = 16;
    private static final String STYLE = """
            svg{--ground:#fff;--ink:#24292f;--faint:#6e7781;--grid:#d0d7de;--yes:#0969da;--no:#bc4c00;--fill:#0969da22}
            @media(prefers-color-scheme:dark){svg{--ground:#161b22;--ink:#e6edf3;--faint:#9198a1;--grid:#3d444d;\
            --yes:#58a6ff;--no:#ffa657;--fill:#58a6ff33}}
            text{font:12px system-ui,sans-serif;fill:var(--ink)}.b{font-weight:600;font-size:14px}.f{fill:var(--faint)}
            path{fill:none}.g{stroke:var(--grid)}.p{stroke:var(--grid);fill:var(--ground)}.l{stroke:var(--no);stroke-dasharray:5 4}
            .y{stroke:var(--yes);stroke-width:5.4;stroke-linecap:round}.h{stroke:var(--yes);stroke-width:1.5}
            .n{stroke:var(--no);stroke-width:1.8}.u{stroke:var(--yes);stroke-width:1.6;fill:var(--fill)}
            """;

    private final StringBuilder svg = new StringBuilder();

    Svg(int height, String title, String description) {
        this(height, title, description, "");
    }

    /** @param style of classes that other drawings do not have */
    Svg(int height, String title, String description, String style) {
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + WIDTH + ' ' + height + "\" width=\"" + WIDTH
                + "\" height=\"" + height + "\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">" + title
                + "</title>\n<desc id=\"d\">" + description + "</desc>\n<style>\n" + STYLE + style + "</style>\n"
                + "<rect class=\"p\" x=\".5\" y=\".5\" width=\"" + (WIDTH - 1) + "\" height=\"" + (height - 1)
                + "\" rx=\"8\"/>\n");
    }

    void path(String type, String path) {
        svg.append("<path class=\"" + type + "\" d=\"" + path + "\"/>\n");
    }

    /** @param anchor start, middle or end: which part of the text is at x */
    void text(Object x, int y, String type, String anchor, String text) {
        svg.append("<text class=\"" + type + "\" x=\"" + x + "\" y=\"" + y + "\" text-anchor=\"" + anchor + "\">" + text
                + "</text>\n");
    }

    String finished() {
        return svg.append("</svg>\n").toString();
    }

    /** A dot, a ring or a cross, for the classes y, h and n. */
    static String mark(char kind, String x, Object y) {
        return switch (kind) {
            case 'y' -> "M" + x + ' ' + y + "h0";
            case 'h' -> "M" + x + ' ' + y + "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0";
            default -> "M" + x + ' ' + y + "m-2.2-2.2l4.4 4.4m0-4.4l-4.4 4.4";
        };
    }

    /** With one digit after the point. */
    static String tenths(double place) {
        long tenths = Math.round(place * 10);
        return tenths % 10 == 0 ? String.valueOf(tenths / 10) : String.format(Locale.ROOT, "%.1f", tenths / 10.0);
    }
}
