package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Replaces a value that must not appear in keys by the SHA-256 of its UTF-8 form, in hexadecimal. */
final class Digest {

    private static final byte NEVER_IN_UTF_8 = (byte) 0xff;
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(Digest::sha256);

    private Digest() {
    }

    static String of(String value) {
        MessageDigest digest = SHA_256.get();
        String text = HexFormat.of().formatHex(digest.digest(bytes(value)));
        // Clears the value from the digest's buffer, which would keep it until the next call.
        digest.reset();
        return text;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
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
