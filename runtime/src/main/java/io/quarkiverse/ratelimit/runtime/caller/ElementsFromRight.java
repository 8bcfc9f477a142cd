package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

/** Iterates over the comma-separated elements of a header from last to first. Several header lines form one list. */
final class ElementsFromRight {

    private final String[] lines;
    private int line;
    private int end;

    ElementsFromRight(List<String> lines) {
        this.lines = lines.toArray(String[]::new);
        this.line = this.lines.length;
        this.end = -1;
    }

    /** The next element that is not empty, or {@code null} at the end. */
    String next() {
        while (end >= 0 || nextLine()) {
            int start = startOfElement(lines[line], end);
            String element = lines[line].substring(start, end).trim();
            end = start - 1;
            if (!element.isEmpty()) {
                return element;
            }
        }
        return null;
    }

    private boolean nextLine() {
        if (line == 0) {
            return false;
        }
        end = lines[--line].length();
        return true;
    }

    private static int startOfElement(String text, int end) {
        boolean quoted = false;
        for (int i = end - 1; i >= 0; i--) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                return i + 1;
            }
        }
        return 0;
    }
}
