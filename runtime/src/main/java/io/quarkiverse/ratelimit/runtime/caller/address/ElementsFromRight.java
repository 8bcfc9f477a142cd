package io.quarkiverse.ratelimit.runtime.caller.address;

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
            if (isQuote(text, i)) {
                quoted = !quoted;
            } else if (text.charAt(i) == ',' && !quoted) {
                return i + 1;
            }
        }
        return 0;
    }

    /** Whether a quoted string begins or ends here. A proxy escapes quotes that a caller has sent, such as in {@code Host}. */
    static boolean isQuote(String text, int at) {
        if (text.charAt(at) != '"') {
            return false;
        }
        int start = at;
        while (start > 0 && text.charAt(start - 1) == '\\') {
            start--;
        }
        return (at - start) % 2 == 0;
    }
}
