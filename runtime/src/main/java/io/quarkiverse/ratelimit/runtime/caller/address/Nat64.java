package io.quarkiverse.ratelimit.runtime.caller.address;

/**
 * Finds the IPv4 address in an IPv6 address that a translator uses for an IPv4 host: {@code 64:ff9b::/96} (RFC 6052) and
 * {@code 64:ff9b:1::/48} (RFC 8215).
 */
final class Nat64 {

    /**
     * The places of the IPv4 bytes after a prefix of 48, 56, 64 and 96 bits (RFC 6052, section 2.2). Byte 8 is never one of
     * them, and all bytes after them are zero.
     */
    private static final int[][] PLACES = { { 6, 7, 9, 10 }, { 7, 9, 10, 11 }, { 9, 10, 11, 12 }, { 12, 13, 14, 15 } };

    private Nat64() {
    }

    /** Converts a translated address to the IPv4 address that it contains. Returns any other address unchanged. */
    static byte[] ipv4(byte[] address) {
        if (isTranslated(address)) {
            for (int[] places : PLACES) {
                // no host has an address of 0.0.0.0/8, so such bytes are those of another prefix
                if (address[places[0]] != 0 && isZero(address, places[3] + 1, address.length)) {
                    return new byte[] { address[places[0]], address[places[1]], address[places[2]], address[places[3]] };
                }
            }
        }
        return address;
    }

    /** Whether an address has one of the prefixes of translators. */
    static boolean isTranslated(byte[] address) {
        return address.length == 16 && address[0] == 0 && address[1] == 0x64 && address[2] == (byte) 0xff
                && address[3] == (byte) 0x9b && address[4] == 0
                && (address[5] == 1 ? address[8] == 0 : isZero(address, 5, 12));
    }

    private static boolean isZero(byte[] address, int from, int to) {
        for (int i = from; i < to; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
