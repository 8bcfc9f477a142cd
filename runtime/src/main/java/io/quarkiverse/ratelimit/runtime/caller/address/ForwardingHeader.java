package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A header to which each proxy appends the address that it received the request from. */
enum ForwardingHeader {

    /** Standard header of RFC 7239: {@code for=192.0.2.1;proto=https}. */
    FORWARDED("Forwarded"),

    X_FORWARDED_FOR("X-Forwarded-For");

    private static final String FOR = "for=";
    /** Address with brackets or a port, which may be hidden (RFC 7239, section 6). */
    private static final Pattern NODE = Pattern.compile("(?:\\[([^]]*)]|([^:]*))(?::(?:[0-9]{1,5}|_.*))?");

    /** Address without a colon, or in brackets, and its port. */
    private static final Pattern SINGLE = Pattern.compile("(?:\\[([^]]*:[^]]*)]|([^:\\[]*))(?::([0-9]{1,5}))?");
    private static final int MAX_PORT = 65_535;

    final String header;

    ForwardingHeader(String header) {
        this.header = header;
    }

    /** Returns the address in an element of the header; {@code null} if it has no valid one. */
    byte[] address(String element) {
        if (this == X_FORWARDED_FOR) {
            return ofNode(element);
        }
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
        return node == null ? null : ofNode(node);
    }

    /**
     * Returns the address of a node such as {@code 192.0.2.1:5678} or {@code "[2001:db8::1]:443"}; {@code null} for anything
     * else, such as {@code unknown} or {@code _hidden}.
     */
    static byte[] ofNode(String node) {
        boolean quoted = node.length() > 1 && node.startsWith("\"") && node.endsWith("\"");
        String text = quoted ? node.substring(1, node.length() - 1).trim() : node;
        Matcher marked = NODE.matcher(text);
        if (!marked.matches()) {
            return IpAddress.parse(text);
        }
        return IpAddress.parse(marked.group(1) == null ? marked.group(2) : marked.group(1));
    }

    /**
     * Returns the address if it is the whole value of a header, perhaps with a port; {@code null} for anything else, such as a
     * list, or an address with a zone.
     */
    static byte[] single(String value) {
        if (value.indexOf('%') >= 0) {
            return null;
        }
        Matcher parts = SINGLE.matcher(value);
        if (!parts.matches()) {
            return IpAddress.parse(value);
        }
        boolean possible = parts.group(3) == null || Integer.parseInt(parts.group(3)) <= MAX_PORT;
        return possible ? IpAddress.parse(parts.group(1) == null ? parts.group(2) : parts.group(1)) : null;
    }

    /** Returns the elements of all lines of the header. */
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

        /** Returns the next part; {@code null} at the end. */
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

    /** Returns whether the quote is not escaped. A proxy escapes quotes that a caller has sent, such as in {@code Host}. */
    private static boolean isUnescaped(String text, int quote) {
        int start = quote;
        while (start > 0 && text.charAt(start - 1) == '\\') {
            start--;
        }
        return (quote - start) % 2 == 0;
    }
}
