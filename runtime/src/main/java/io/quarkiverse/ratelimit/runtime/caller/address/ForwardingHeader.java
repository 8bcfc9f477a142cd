package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.List;

/** A header to which each proxy appends the address that it received the request from. */
enum ForwardingHeader {

    /** The standard header of RFC 7239: {@code for=192.0.2.1;proto=https}. */
    FORWARDED("Forwarded") {
        @Override
        Hop hop(String element) {
            String node = null;
            for (int start = 0; start < element.length();) {
                int end = endOfPair(element, start);
                String pair = element.substring(start, end).trim();
                if (pair.regionMatches(true, 0, FOR, 0, FOR.length())) {
                    if (node != null) {
                        return null;
                    }
                    node = pair.substring(FOR.length());
                }
                start = end + 1;
            }
            return node == null ? null : Hop.parse(node);
        }
    },

    X_FORWARDED_FOR("X-Forwarded-For") {
        @Override
        Hop hop(String element) {
            return Hop.parse(element);
        }
    };

    private static final String FOR = "for=";

    final String header;

    ForwardingHeader(String header) {
        this.header = header;
    }

    /** Parses an element of the header. Returns {@code null} if it has no valid address. */
    abstract Hop hop(String element);

    private static int endOfPair(String element, int start) {
        boolean quoted = false;
        for (int i = start; i < element.length(); i++) {
            if (isQuote(element, i)) {
                quoted = !quoted;
            } else if (element.charAt(i) == ';' && !quoted) {
                return i;
            }
        }
        return element.length();
    }

    /** Whether a quoted string begins or ends here. A proxy escapes quotes that a caller has sent, such as in {@code Host}. */
    private static boolean isQuote(String text, int index) {
        if (text.charAt(index) != '"') {
            return false;
        }
        int start = index;
        while (start > 0 && text.charAt(start - 1) == '\\') {
            start--;
        }
        return (index - start) % 2 == 0;
    }

    /** Iterates over the comma-separated elements of a header from last to first. */
    static final class Elements {

        private final String text;
        private int end;

        /** @param lines of the header, which form one list */
        Elements(List<String> lines) {
            this.text = String.join(",", lines);
            this.end = text.length();
        }

        /** The next element that is not empty, or {@code null} at the end. */
        String next() {
            while (end >= 0) {
                int start = startOfElement();
                String element = text.substring(start, end).trim();
                end = start - 1;
                if (!element.isEmpty()) {
                    return element;
                }
            }
            return null;
        }

        private int startOfElement() {
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
    }
}
