package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Replaces a value that must not appear in keys by the SHA-256 of its UTF-8 form, in hexadecimal. */
final class Digest {

    private static final byte NEVER_IN_UTF_8 = (byte) 0xff;

    private Digest() {
    }

    static String of(String value) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(value)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    /** UTF-8 encodes every lone surrogate as a question mark, which would give two callers the same key. */
    private static byte[] bytes(String value) {
        byte[] utf8 = value.getBytes(UTF_8);
        if (value.equals(new String(utf8, UTF_8))) {
            return utf8;
        }
        ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * value.length()).put(NEVER_IN_UTF_8);
        bytes.asCharBuffer().put(value);
        return bytes.array();
    }
}
