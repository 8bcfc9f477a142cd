package io.quarkiverse.ratelimit.runtime.caller;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/**
 * Writes down one part of a key: its kind, and its value as it is or as a digest.
 *
 * @param plain begins a value that is stored as it is, {@code null} where none ever is
 * @param digest begins a digest
 * @param absent stands for all callers who lack the part
 */
record StoredPart(String plain, String digest, String absent) {

    private static final int MAX_PLAIN_LENGTH = 128;
    private static final String PLAIN_PUNCTUATION = "._:@/#()[]$,;+-";
    private static final boolean[] PLAIN = plainCharacters();

    /** A part whose values may be read by anyone who reads Redis, logs and metrics. */
    static StoredPart of(String kind) {
        return new StoredPart(kind + '=', kind + '*', kind + '!');
    }

    /** A part whose values never appear, such as a header. */
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

    /** A name may have any character, the markers and braces among them: all but the commonest appear as %XX. */
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
