package io.quarkiverse.ratelimit.runtime.caller.address;

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
            if (ElementsFromRight.isQuote(element, i)) {
                quoted = !quoted;
            } else if (element.charAt(i) == ';' && !quoted) {
                return i;
            }
        }
        return element.length();
    }
}
