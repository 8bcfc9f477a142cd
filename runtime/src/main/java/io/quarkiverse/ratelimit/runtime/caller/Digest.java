package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** Replaces a value that must not appear in keys by the SHA-256 of its UTF-8 form, in hexadecimal. */
final class Digest {

    /** Begins a digest that people give in place of a value. */
    private static final String WRITTEN = "sha256:";
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");
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

    /** Returns a digest as people give it. */
    static String written(String digest) {
        return WRITTEN + digest;
    }

    /** Returns whether a text is a digest, or one with a mistake. */
    static boolean isWritten(String text) {
        return text.startsWith(WRITTEN);
    }

    /** Reads a digest that people give; {@code null} if it has a mistake. */
    static String read(String text) {
        String digest = text.substring(WRITTEN.length());
        return SHA_256.matcher(digest).matches() ? digest.toLowerCase(Locale.ROOT) : null;
    }

    /**
     * Encodes a value as UTF-8, or as UTF-16 if it has a lone surrogate. UTF-8 encodes every lone surrogate as a question mark,
     * so two callers would have the same key.
     */
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
