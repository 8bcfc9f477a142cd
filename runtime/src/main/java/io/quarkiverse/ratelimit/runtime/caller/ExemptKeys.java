package io.quarkiverse.ratelimit.runtime.caller;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The values of a key that are not limited. Each may be a secret, so only digests are kept and compared.
 *
 * @param digests in hexadecimal and lower case
 */
public record ExemptKeys(Set<String> digests) {

    public static final ExemptKeys NONE = new ExemptKeys(Set.of());

    private static final String DIGEST = "sha256:";
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");

    /**
     * @param normalize changes each value that is not a digest, as those of callers
     * @throws IllegalArgumentException if a digest is no SHA-256; the message has the remedy
     */
    public static ExemptKeys parse(List<String> values, List<Normalization> normalize) {
        Set<String> digests = new HashSet<>();
        for (String value : values) {
            digests.add(value.startsWith(DIGEST) ? digest(value) : Digest.of(KeyPart.normalized(value, normalize)));
        }
        return new ExemptKeys(digests);
    }

    private static String digest(String value) {
        String digest = value.substring(DIGEST.length());
        if (!SHA_256.matcher(digest).matches()) {
            throw new IllegalArgumentException("has \"" + value + "\", but sha256: must be followed by the 64 hexadecimal"
                    + " digits of a SHA-256. Get them with: printf %s VALUE | sha256sum");
        }
        return digest.toLowerCase(Locale.ROOT);
    }

    public boolean areNone() {
        return digests.isEmpty();
    }

    public boolean contain(String value) {
        return !digests.isEmpty() && value != null && !value.isEmpty() && digests.contains(Digest.of(value));
    }
}
