package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/**
 * Writes the stored form of one part of a key: its kind, then its value in plain text or as a digest.
 *
 * @param plain the prefix of a plain value; {@code null} if values are always stored as digests
 * @param digest the prefix of a digest
 * @param absent the form for all callers without a value
 */
record StoredPart(String plain, String digest, String absent) {

    private static final int MAX_PLAIN_LENGTH = 128;
    private static final String PLAIN_PUNCTUATION = "._:@/#()[]$,;+-";
    private static final boolean[] PLAIN = plainCharacters();

    /** A part with values that may appear in Redis, logs and metrics. */
    static StoredPart of(String kind) {
        return new StoredPart(kind + '=', kind + '*', kind + '!');
    }

    /** A part with values that are always stored as digests, such as a header. */
    static StoredPart secret(String kind, String name) {
        String escaped = kind + ':' + escaped(name);
        return new StoredPart(null, escaped + '*', escaped + '!');
    }

    String present(String value) {
        return plain != null && isPlain(value) ? plain + value : digest + Digest.of(value);
    }

    private static boolean isPlain(String value) {
        int length = value.length();
        if (length > MAX_PLAIN_LENGTH) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c >= PLAIN.length || !PLAIN[c]) {
                return false;
            }
        }
        return true;
    }

    /** Escapes all characters except letters, digits and {@code ._-} as %XX. A name may contain markers and braces. */
    private static String escaped(String name) {
        StringBuilder escaped = new StringBuilder();
        for (byte b : name.getBytes(UTF_8)) {
            if (b >= 0 && (Character.isLetterOrDigit(b) || "._-".indexOf(b) >= 0)) {
                escaped.append((char) b);
            } else {
                escaped.append('%').append(HexFormat.of().toHexDigits(b));
            }
        }
        return escaped.toString();
    }

    private static boolean[] plainCharacters() {
        boolean[] plain = new boolean[128];
        for (char c = 0; c < plain.length; c++) {
            plain[c] = Character.isLetterOrDigit(c) || PLAIN_PUNCTUATION.indexOf(c) >= 0;
        }
        return plain;
    }
}
