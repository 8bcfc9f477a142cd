package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.List;

/** A header to which each proxy appends the address that it received the request from. */
enum ForwardingHeader {

    /** The standard header of RFC 7239: {@code for=192.0.2.1;proto=https}. */
    FORWARDED("Forwarded") {
        @Override
        Hop hop(String element) {
            String node = null;
            Parts pairs = new Parts(element, ';');
            for (String pair = pairs.next(); pair != null; pair = pairs.next()) {
                if (pair.regionMatches(true, 0, FOR, 0, FOR.length())) {
                    if (node != null) {
                        return null;
                    }
                    node = pair.substring(FOR.length());
                }
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

    /** The elements of all lines of the header. */
    static Parts elements(List<String> lines) {
        return new Parts(String.join(",", lines), ',');
    }

    /**
     * The parts of a text that are not empty, from last to first, so that a quote which a caller sends changes none after it.
     * Each part is read on demand, because a caller may send thousands.
     */
    static final class Parts {

        private final String text;
        private final char separator;
        private int end;

        private Parts(String text, char separator) {
            this.text = text;
            this.separator = separator;
            this.end = text.length();
        }

        /** The next part; {@code null} at the end. */
        String next() {
            boolean quoted = false;
            for (int i = end - 1; i >= -1; i--) {
                if (i == -1 || text.charAt(i) == separator && !quoted) {
                    String part = text.substring(i + 1, end).trim();
                    end = i;
                    if (!part.isEmpty()) {
                        return part;
                    }
                } else if (text.charAt(i) == '"' && isUnescaped(text, i)) {
                    quoted = !quoted;
                }
            }
            return null;
        }
    }

    /** A proxy escapes quotes that a caller has sent, such as in {@code Host}. */
    private static boolean isUnescaped(String text, int quote) {
        int start = quote;
        while (start > 0 && text.charAt(start - 1) == '\\') {
            start--;
        }
        return (quote - start) % 2 == 0;
    }
}
