package io.quarkiverse.ratelimit.runtime.caller.address;

import java.util.regex.Pattern;

/**
 * One node on the path of a request: a proxy or the caller.
 *
 * @param address 4 or 16 bytes
 * @param port 0 if unknown
 */
record Hop(byte[] address, int port) {

    private static final Pattern PORT = Pattern.compile(":[0-9]{1,5}");

    /**
     * Parses a node of a forwarding header, such as {@code 192.0.2.1:5678} or {@code "[2001:db8::1]:443"}. Returns
     * {@code null} for anything that is not an address, such as {@code unknown} or {@code _hidden}.
     */
    static Hop parse(String text) {
        String node = unquoted(text);
        int bracket = node.startsWith("[") ? node.indexOf(']') : -1;
        if (bracket > 0) {
            return of(node.substring(1, bracket), node.substring(bracket + 1));
        }
        int colon = node.indexOf(':');
        if (colon > 0 && colon == node.lastIndexOf(':')) {
            return of(node.substring(0, colon), node.substring(colon));
        }
        return of(node, "");
    }

    /** Parses an address and its suffix: empty, {@code :5678}, or {@code :_hidden} as in RFC 7239, section 6. */
    private static Hop of(String literal, String port) {
        byte[] address = IpAddress.parse(literal);
        if (address == null) {
            return null;
        }
        if (port.isEmpty() || port.startsWith(":_")) {
            return new Hop(address, 0);
        }
        return PORT.matcher(port).matches() ? new Hop(address, Integer.parseInt(port, 1, port.length(), 10)) : null;
    }

    private static String unquoted(String text) {
        boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
        return quoted ? text.substring(1, text.length() - 1).trim() : text;
    }
}
