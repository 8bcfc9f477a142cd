package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Stands for a value that must not appear: the SHA-256 of its UTF-8 form, in hexadecimal. */
final class Digest {

    private static final byte NEVER_IN_UTF_8 = (byte) 0xff;
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(Digest::sha256);

    private Digest() {
    }

    static String of(String value) {
        MessageDigest digest = SHA_256.get();
        String text = HexFormat.of().formatHex(digest.digest(bytes(value)));
        // else it would keep the value until the next one comes
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

    /** UTF-8 turns a lone surrogate into a question mark, and so two callers into one. */
    private static byte[] bytes(String value) {
        byte[] utf8 = value.getBytes(UTF_8);
        return !hasSurrogate(value) || value.equals(new String(utf8, UTF_8)) ? utf8 : chars(value);
    }

    private static boolean hasSurrogate(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (Character.isSurrogate(value.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private static byte[] chars(String value) {
        ByteBuffer bytes = ByteBuffer.allocate(1 + 2 * value.length()).put(NEVER_IN_UTF_8);
        bytes.asCharBuffer().put(value);
        return bytes.array();
    }
}
