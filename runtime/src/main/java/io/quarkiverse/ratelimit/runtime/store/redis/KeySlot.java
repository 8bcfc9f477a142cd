package io.quarkiverse.ratelimit.runtime.store.redis;

import java.nio.charset.StandardCharsets;

/** Computes the cluster slot of a Redis key: CRC-16/XMODEM of its hash tag, or of the whole key, modulo 16384. */
public final class KeySlot {

    /** Number of slots of a cluster. */
    public static final int SLOTS = 16_384;
    private static final int POLYNOMIAL = 0x1021;
    /** The remainder of each value of a byte. */
    private static final int[] REMAINDERS = new int[256];

    static {
        for (int value = 0; value < REMAINDERS.length; value++) {
            int remainder = value << 8;
            for (int bit = 0; bit < 8; bit++) {
                remainder = (remainder << 1) ^ ((remainder & 0x8000) == 0 ? 0 : POLYNOMIAL);
            }
            REMAINDERS[value] = remainder & 0xffff;
        }
    }

    private KeySlot() {
    }

    public static int of(String key) {
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        String hashed = open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
        int crc = 0;
        for (byte value : hashed.getBytes(StandardCharsets.UTF_8)) {
            crc = (crc << 8 & 0xffff) ^ REMAINDERS[(crc >> 8 ^ value) & 0xff];
        }
        return crc % SLOTS;
    }
}
